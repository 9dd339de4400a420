import { useId, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import type { QueryError } from '../../../../contract/rules/query/condition.ts';
import type { Field } from '../model/schema.ts';
import { applyCompletion, getCompletions } from './completions.ts';
import type { Completion } from './completions.ts';
import { isAfterColon, getLineAndColumn, getErrorRange, scanQueryText } from './scan-query.ts';
import type { TextRange } from './scan-query.ts';
/* oxlint-disable jsx-a11y/prefer-tag-over-role -- HTML has no element for the list box of a combobox (ARIA) */
import '../../../ui/form/select/options.css';

interface QueryEditorProps {
  id: string;
  text: string;
  fields: readonly Field[];
  errors: readonly QueryError[];
  onChange: (text: string) => void;
}

/** Text editor of a query with completions while typing and errors with their positions. */
export function QueryEditor({ id, text, fields, errors, onChange }: QueryEditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const listId = useId();
  const [caret, setCaret] = useState<number>();
  const [selectedIndex, setSelectedIndex] = useState<number>();
  const { context } = caret === undefined ? {} : scanQueryText(text, caret);
  const options = context ? getCompletions(context, fields) : [];
  // No suggestions if the first one is typed completely.
  const open =
    context !== undefined &&
    options.length > 0 &&
    options[0]?.insert !== text.slice(context.from, context.to);

  // Before anything is typed, Enter inserts a line and Tab leaves the field unless an option is selected.
  const active = selectedIndex ?? (context?.typed === '' ? -1 : 0);

  const close = () => setCaret(undefined);
  const openAt = (position: number) => {
    setCaret(position);
    setSelectedIndex(undefined);
  };
  const select = ({ from, to }: TextRange) => {
    area.current?.focus();
    area.current?.setSelectionRange(from, to);
  };
  const accept = (option: Completion | undefined) => {
    if (!context || !option) return;
    const next = applyCompletion(text, context, option);
    onChange(next.text);
    // The caret can move once the new text is rendered.
    requestAnimationFrame(() => {
      select({ from: next.caret, to: next.caret });
      openAt(next.caret);
    });
  };
  const handleKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === ' ' && event.ctrlKey) {
      event.preventDefault();
      openAt(event.currentTarget.selectionStart);
      setSelectedIndex(0);
      return;
    }
    // A completion inserts the colon of its key, so a typed colon is swallowed.
    if (event.key === ':' && isAfterColon(text, event.currentTarget.selectionStart)) {
      event.preventDefault();
      return;
    }
    if (!open) return;
    const action = {
      ArrowDown: () => setSelectedIndex((active + 1) % options.length),
      ArrowUp: () => setSelectedIndex((Math.max(active, 0) + options.length - 1) % options.length),
      Enter: active < 0 ? undefined : () => accept(options[active]),
      Tab: active < 0 ? undefined : () => accept(options[active]),
      Escape: close,
    }[event.key];
    // Shift+Tab leaves the field.
    if (!action || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    action();
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
          aria-invalid={errors.length > 0}
          aria-describedby={`${id}-faults ${id}-keys`}
          onChange={({ target }) => {
            onChange(target.value);
            openAt(target.selectionStart);
          }}
          onKeyDown={handleKeyDown}
          onBlur={close}
        />
        {open && <QueryOptions {...{ listId, options }} activeIndex={active} onSelect={accept} />}
      </div>
      <p id={`${id}-keys`} className="find-quiet">
        Ctrl+Space shows suggestions.
      </p>
      <ErrorList {...{ id, text, errors }} onShow={select} />
    </>
  );
}

type ErrorListProps = Pick<QueryEditorProps, 'id' | 'text' | 'errors'> & {
  onShow: (range: TextRange) => void;
};

function ErrorList({ id, text, errors, onShow }: ErrorListProps) {
  return (
    <div id={`${id}-faults`} aria-live="polite">
      {errors.map((error) => {
        const range = getErrorRange(text, error);
        const { line, column } = getLineAndColumn(text, range);
        return (
          <p key={`${error.path} ${error.message}`} className="field-error">
            <span>
              <button type="button" className="find-position" onClick={() => onShow(range)}>
                Line {line}, column {column}
              </button>{' '}
              {error.path !== 'query' && <code>{error.path.replace(/^query\./, '')}</code>} {error.message}
            </span>
          </p>
        );
      })}
      {errors.length > 0 && <p className="find-quiet">The list keeps the last valid query.</p>}
    </div>
  );
}

interface QueryOptionsProps {
  listId: string;
  options: readonly Completion[];
  activeIndex: number;
  onSelect: (option: Completion) => void;
}

/** List of completions. */
function QueryOptions({ listId, options, activeIndex, onSelect }: QueryOptionsProps) {
  return (
    <div
      id={listId}
      role="listbox"
      aria-label="Suggestions"
      className="options-list find-options"
      // The field keeps the focus.
      onPointerDown={(event) => event.preventDefault()}
    >
      {options.map((option, index) => (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the text field handles the keys of its list (ARIA combobox)
        <div
          key={`${option.label} ${option.hint}`}
          id={`${listId}-${index}`}
          role="option"
          className="option find-option"
          aria-selected={index === activeIndex}
          data-focused={index === activeIndex ? '' : undefined}
          ref={index === activeIndex ? (node) => node?.scrollIntoView({ block: 'nearest' }) : undefined}
          onClick={() => onSelect(option)}
        >
          <bdi className="mono">{option.label}</bdi>
          <span className="option-hint">{option.hint}</span>
        </div>
      ))}
    </div>
  );
}
