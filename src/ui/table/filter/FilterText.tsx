import { useRouter } from '@tanstack/react-router';
import { useId, useState } from 'react';
import type { RefObject } from 'react';
import { Button } from '../../button/Button.tsx';
import { CopyButton } from '../../button/CopyButton.tsx';
import { FieldFrame } from '../../form/FieldFrame.tsx';
import PopoverCard from '../../menu/PopoverCard.tsx';
import { formatParameters, parseParameters } from './filter-text.ts';

interface FilterTextProps {
  anchor: RefObject<Element | null>;
  onClose: () => void;
}

/** The filter as the parameters of the page's address, which can be edited. */
export default function FilterText({ anchor, onClose }: FilterTextProps) {
  const id = useId();
  const router = useRouter();
  const { pathname, searchStr } = router.state.location;
  const [typed, setTyped] = useState(() => formatParameters(searchStr));
  const [error, setError] = useState<string>();
  const apply = () => {
    const { parameters, invalidLine } = parseParameters(typed);
    if (invalidLine !== undefined) {
      setError(`“${invalidLine}” must have the form name=value`);
      return;
    }
    onClose();
    void router.navigate({ href: parameters === '' ? pathname : `${pathname}?${parameters}` });
  };
  return (
    <PopoverCard label="Filter as text" anchor={anchor} align="start" onClose={onClose}>
      <form
        className="filter-text"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          apply();
        }}
      >
        <FieldFrame
          id={id}
          noteId={`${id}-note`}
          label="Query"
          hint="One parameter of the address per line"
          error={error}
        >
          <textarea
            id={id}
            className="input mono"
            rows={Math.max(3, typed.split('\n').length)}
            spellCheck={false}
            value={typed}
            aria-invalid={error !== undefined}
            aria-describedby={`${id}-note`}
            onChange={({ target }) => setTyped(target.value)}
          />
        </FieldFrame>
        <div className="filter-text-actions">
          <CopyButton label="Copy the address of this list" value={location.href} />
          <Button type="submit" size="small" variant="primary">
            Apply
          </Button>
        </div>
      </form>
    </PopoverCard>
  );
}
