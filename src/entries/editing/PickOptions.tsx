// A list under an input that keeps the focus (ARIA, "combobox"): no element of HTML is one.
/* oxlint-disable jsx-a11y/prefer-tag-over-role */
import type { NamedValue } from '../../api/generated/types.gen.ts';
import '../../ui/form/options.css';
import type { Candidate } from './candidates.ts';

interface OptionsProps {
  listId: string;
  label: string;
  offered: readonly Candidate[];
  at: number;
  isFinding: boolean;
  isChosen: (value: NamedValue | boolean) => boolean;
  onTake: (candidate: Candidate) => void;
}

/** The list under the input; the focus stays in the input, so a pointer must not take it. */
export function Options({ listId, label, offered, at, isFinding, isChosen, onTake }: OptionsProps) {
  return (
    <div
      id={listId}
      role="listbox"
      aria-label={label}
      className="options-list"
      onPointerDown={(event) => event.preventDefault()}
    >
      {offered.map((one, place) => (
        // The input has the keys of its list (ARIA, "combobox").
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
        <div
          key={typeof one.value === 'boolean' ? one.label : one.value.id}
          id={`${listId}-${place}`}
          role="option"
          className="option"
          aria-selected={isChosen(one.value)}
          data-focused={place === at ? '' : undefined}
          ref={place === at ? (node) => node?.scrollIntoView({ block: 'nearest' }) : undefined}
          onClick={() => onTake(one)}
        >
          <span>
            <bdi>{one.label}</bdi> {one.hint !== undefined && <span className="option-hint">{one.hint}</span>}
          </span>
        </div>
      ))}
      {offered.length === 0 && (
        <div className="options-none" role="option" aria-selected={false} aria-disabled>
          {isFinding ? 'Finding' : 'Nothing matches'}
        </div>
      )}
    </div>
  );
}
