// A list under a field that keeps the focus (ARIA, "combobox"): no element of HTML is one.
/* oxlint-disable jsx-a11y/prefer-tag-over-role */
import '../../ui/form/options.css';
import type { Completion } from './completions.ts';

interface QueryOptionsProps {
  listId: string;
  options: readonly Completion[];
  at: number;
  onTake: (option: Completion) => void;
}

/** What can stand at the caret of a query. */
export function QueryOptions({ listId, options, at, onTake }: QueryOptionsProps) {
  return (
    <div
      id={listId}
      role="listbox"
      aria-label="What can stand here"
      className="options-list find-options"
      // The field keeps the focus.
      onPointerDown={(event) => event.preventDefault()}
    >
      {options.map((option, place) => (
        // The field has the keys of its list (ARIA, "combobox").
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
        <div
          key={`${option.label} ${option.hint}`}
          id={`${listId}-${place}`}
          role="option"
          className="option find-option"
          aria-selected={place === at}
          data-focused={place === at ? '' : undefined}
          ref={place === at ? (node) => node?.scrollIntoView({ block: 'nearest' }) : undefined}
          onClick={() => onTake(option)}
        >
          <bdi className="mono">{option.label}</bdi>
          <span className="option-hint">{option.hint}</span>
        </div>
      ))}
    </div>
  );
}
