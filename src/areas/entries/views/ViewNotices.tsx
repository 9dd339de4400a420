import type { SavedView } from '../../../api/generated/types.gen.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import type { QueryObject } from '../filter/draft.ts';
import type { Field } from '../model/schema.ts';
import type { EntriesView } from '../model/view.ts';
import { goneFrom, withoutGone } from './saved.ts';

interface ViewNoticesProps {
  view: EntriesView;
  fields: readonly Field[];
  saved: SavedView | undefined;
  /** Whether the views have been read. */
  known: boolean;
  show: (next: EntriesView) => unknown;
}

const names = new Intl.ListFormat('en');

/** What about the open view is no longer as it was when it was saved. */
export function ViewNotices({ view, fields, saved, known, show }: ViewNoticesProps) {
  if (view.saved !== undefined && !saved && known)
    return (
      <Banner
        title="The view of this address is not there"
        actions={
          <Button size="small" onClick={() => void show({ ...view, saved: undefined })}>
            Go on without it
          </Button>
        }
      >
        It was deleted, or is not shared with you. What the address asks for is shown all the same.
      </Banner>
    );
  const gone = saved ? goneFrom(saved, fields) : [];
  if (gone.length === 0) return null;
  const them = gone.length === 1 ? 'it' : 'them';
  const { query } = view;
  const kept = isObject(query) ? withoutGone(query, fields) : undefined;
  const asks = isObject(query) && JSON.stringify(kept) !== JSON.stringify(query);
  return (
    <Banner
      tone="warn"
      title={`${names.format(gone)} ${gone.length === 1 ? 'is' : 'are'} no longer in the schema`}
      actions={
        asks && (
          <Button size="small" onClick={() => void show({ ...view, query: kept })}>
            Leave these conditions out
          </Button>
        )
      }
    >
      {asks
        ? `The view asks for ${them}, so its filter cannot be asked as it is. Without these conditions more entries may match.`
        : `The view is shown without ${them}. Saving it takes ${them} out for good.`}
    </Banner>
  );
}

const isObject = (query: EntriesView['query']): query is QueryObject => typeof query === 'object';
