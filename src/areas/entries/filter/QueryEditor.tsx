import { useId, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import type { QueryFault } from '../../../../contract/rules/query/tree.ts';
import type { Field } from '../model/schema.ts';
import { completed, completionsAt } from './completions.ts';
import type { Completion } from './completions.ts';
import { isPastColon, lineOf, rangeOf, scan } from './scan.ts';
import type { Range } from './scan.ts';
// A list under a field that keeps the focus (ARIA, "combobox"): no element of HTML is one.
/* oxlint-disable jsx-a11y/prefer-tag-over-role */
import '../../../ui/form/options.css';

interface QueryEditorProps {
  id: string;
  text: string;
  fields: readonly Field[];
  faults: readonly QueryFault[];
  onChange: (text: string) => void;
}

/** The query as text: what can stand at the caret is offered while one types, and every fault says where it is. */
export function QueryEditor({ id, text, fields, faults, onChange }: QueryEditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const listId = useId();
  const [caret, setCaret] = useState<number>();
  const [gone, setGone] = useState<number>();
  const { spot } = caret === undefined ? {} : scan(text, caret);
  const options = spot ? completionsAt(spot, fields) : [];
  // What stands there whole already is no help.
  const open =
    spot !== undefined && options.length > 0 && options[0]?.insert !== text.slice(spot.from, spot.to);

  // Where nothing is typed yet, Enter is a new line and Tab leads on, until somebody goes to an option.
  const active = gone ?? (spot?.typed === '' ? -1 : 0);

  const close = () => setCaret(undefined);
  const offer = (at: number) => {
    setCaret(at);
    setGone(undefined);
  };
  const select = ({ from, to }: Range) => {
    area.current?.focus();
    area.current?.setSelectionRange(from, to);
  };
  const take = (option: Completion | undefined) => {
    if (!spot || !option) return;
    const next = completed(text, spot, option);
    onChange(next.text);
    // The caret follows once the new text is in the field.
    requestAnimationFrame(() => {
      select({ from: next.caret, to: next.caret });
      offer(next.caret);
    });
  };
  const keyed = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === ' ' && event.ctrlKey) {
      event.preventDefault();
      offer(event.currentTarget.selectionStart);
      setGone(0);
      return;
    }
    // A completion brings the colon of its name; whoever types one is past it already.
    if (event.key === ':' && isPastColon(text, event.currentTarget.selectionStart)) {
      event.preventDefault();
      return;
    }
    if (!open) return;
    const act = {
      ArrowDown: () => setGone((active + 1) % options.length),
      ArrowUp: () => setGone((Math.max(active, 0) + options.length - 1) % options.length),
      Enter: active < 0 ? undefined : () => take(options[active]),
      Tab: active < 0 ? undefined : () => take(options[active]),
      Escape: close,
    }[event.key];
    // Going back with Tab leaves the field.
    if (!act || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  return (
    <>
      <div className="find-edit">
        <textarea
          ref={area}
          id={id}
          className="input mono find-text"
          spellCheck={false}
          autoComplete="off"
          rows={5}
          placeholder={`{${fields[0]?.apiName ?? 'Name'}: {$contains: "…"}}`}
          value={text}
          aria-autocomplete="list"
          aria-controls={open ? listId : undefined}
          aria-activedescendant={open && active >= 0 ? `${listId}-${active}` : undefined}
          aria-invalid={faults.length > 0}
          aria-describedby={`${id}-faults ${id}-keys`}
          onChange={({ target }) => {
            onChange(target.value);
            offer(target.selectionStart);
          }}
          onKeyDown={keyed}
          onBlur={close}
        />
        {open && <QueryOptions {...{ listId, options }} at={active} onTake={take} />}
      </div>
      <p id={`${id}-keys`} className="find-quiet">
        Ctrl and Space offer what can stand at the caret.
      </p>
      <Faults {...{ id, text, faults }} onShow={select} />
    </>
  );
}

type FaultsProps = Pick<QueryEditorProps, 'id' | 'text' | 'faults'> & { onShow: (range: Range) => void };

function Faults({ id, text, faults, onShow }: FaultsProps) {
  return (
    <div id={`${id}-faults`} aria-live="polite">
      {faults.map((fault) => {
        const range = rangeOf(text, fault);
        const { line, column } = lineOf(text, range);
        return (
          <p key={`${fault.path} ${fault.message}`} className="field-error">
            <span>
              <button type="button" className="find-place" onClick={() => onShow(range)}>
                Line {line}, column {column}
              </button>{' '}
              {fault.path !== 'query' && <code>{fault.path.replace(/^query\./, '')}</code>} {fault.message}
            </span>
          </p>
        );
      })}
      {faults.length > 0 && (
        <p className="find-quiet">Nothing new is asked for until the query can be read.</p>
      )}
    </div>
  );
}

interface QueryOptionsProps {
  listId: string;
  options: readonly Completion[];
  at: number;
  onTake: (option: Completion) => void;
}

/** What can stand at the caret of a query. */
function QueryOptions({ listId, options, at, onTake }: QueryOptionsProps) {
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
