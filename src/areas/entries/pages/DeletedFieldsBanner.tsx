import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';

interface DeletedFieldsBannerProps {
  names: readonly string[];
  onDismiss: () => void;
}

const listFormat = new Intl.ListFormat('en');

/** Names fields deleted while the grid is open. Loaded when there are any. */
export default function DeletedFieldsBanner({ names, onDismiss }: DeletedFieldsBannerProps) {
  return (
    <Banner
      title={`${listFormat.format(names)} ${names.length === 1 ? 'was' : 'were'} deleted from the schema`}
      actions={
        <Button size="small" onClick={onDismiss}>
          Dismiss
        </Button>
      }
    >
      The schema was changed while this page was open. The entries are displayed without{' '}
      {names.length === 1 ? 'this column' : 'these columns'}.
    </Banner>
  );
}
