import { Braces, ListFilter, Plus } from 'lucide-react';
import { Fragment, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import type { FocusEvent, ReactNode, RefObject } from 'react';
import { Button } from '../../button/Button.tsx';
import { IconButton } from '../../button/IconButton.tsx';
import { lazyWithPreload } from '../../lazy.tsx';
import { MenuButton } from '../../menu/MenuButton.tsx';
import { SentenceContext } from './sentence-context.ts';
import './filter.css';

const FilterText = lazyWithPreload(() => import('./FilterText.tsx'));

/** One clause that the sentence of a filter may have. */
export interface SentenceClause {
  /** Name of the field; also the label of its chip. */
  label: string;
  /** Identifies the clause where several have the same label. */
  id?: string;
  isActive: boolean;
  /** Stays while it is not active. */
  isKept?: boolean;
  chip: ReactNode;
  /** Adds a clause without values; others open the card of their chip. Null for clauses that are added elsewhere. */
  onAdd?: (() => void) | null;
}

interface FilterSentenceProps {
  clauses: readonly SentenceClause[];
  /** Undefined while there is nothing to clear. */
  onClear: (() => void) | undefined;
  matchCount?: number | undefined;
  conjunction?: 'and' | 'or';
  /** Fields of which any number of clauses can be added, instead of the clauses that are not active. */
  additions?: readonly { label: string; onSelect: () => void }[];
  /** The clause whose card is open, and a function that opens or closes it, where the page keeps them. */
  edit?: readonly [id: string | undefined, open: (id: string | undefined) => void];
  /** Opens the text of the filter; by default the text are the parameters of the address. */
  textButton?: ReactNode;
}

/** Whether a conjunction joins the clause with others; one that is only kept takes no part in the filter. */
const isJoined = ({ isActive, isKept = false }: SentenceClause): boolean => isActive || !isKept;

/**
 * The filter of a list as one sentence: a chip with field, operator and value for each active clause, edited in place,
 * and a menu that adds the others. The text of the filter is behind a button.
 */
export function FilterSentence({
  clauses,
  onClear,
  matchCount,
  conjunction = 'and',
  additions,
  edit,
  textButton,
}: FilterSentenceProps) {
  const ownEdit = useState<string>();
  const [editing, setEditing] = edit ?? ownEdit;
  const [showsText, setShowsText] = useState(false);
  const sentence = useRef<HTMLFieldSetElement>(null);
  const textAnchor = useRef<HTMLSpanElement>(null);
  // A clause without values stays while it is edited.
  const visible = clauses.filter(
    ({ label, isActive, isKept = false }) => isActive || isKept || label === editing,
  );
  const firstJoined = visible.findIndex(isJoined);
  const items =
    additions ??
    clauses
      .filter((clause) => !visible.includes(clause) && clause.onAdd !== null)
      .map(({ label, onAdd }) => ({ label, onSelect: onAdd ?? (() => setEditing(label)) }));
  const onFocusChange = useFocusAfterRemoval(sentence, visible.length, editing !== undefined);
  const state = useMemo(() => ({ editing, setEditing, matchCount }), [editing, setEditing, matchCount]);
  return (
    <fieldset ref={sentence} className="sentence" {...onFocusChange}>
      <legend className="visually-hidden">Filter</legend>
      <ListFilter aria-hidden />
      {visible.length > 0 && <span>Where</span>}
      <SentenceContext value={state}>
        {visible.map((clause, index) => (
          <Fragment key={clause.id ?? clause.label}>
            {isJoined(clause) && index > firstJoined && <span>{conjunction}</span>}
            {clause.chip}
          </Fragment>
        ))}
      </SentenceContext>
      {items.length > 0 && (
        <span className="sentence-add">
          <MenuButton label="Add filter" icon={Plus} size="small" align="start" items={items}>
            {visible.length === 0 ? 'Add filter' : undefined}
          </MenuButton>
        </span>
      )}
      <span ref={textAnchor} className="sentence-text">
        {textButton ?? (
          <IconButton
            label="Filter as text"
            icon={Braces}
            size="small"
            aria-haspopup="dialog"
            aria-expanded={showsText}
            onPointerEnter={FilterText.preload}
            onFocus={FilterText.preload}
            onClick={() => setShowsText(true)}
          />
        )}
        <Suspense>
          {showsText && <FilterText anchor={textAnchor} onClose={() => setShowsText(false)} />}
        </Suspense>
      </span>
      {onClear && (
        <Button variant="quiet" size="small" onClick={onClear}>
          Clear
        </Button>
      )}
    </fieldset>
  );
}

/** Focuses the button that adds a clause if the focus is lost. */
function focusAdder(sentence: HTMLElement | null): void {
  if (document.activeElement !== document.body) return;
  sentence?.querySelector<HTMLElement>('.sentence-add button, .sentence-text button')?.focus();
}

/** Moves the focus to the button that adds a clause when the clause or the card that had it is gone. */
function useFocusAfterRemoval(
  sentence: RefObject<HTMLFieldSetElement | null>,
  count: number,
  isEditing: boolean,
) {
  const isInside = useRef(false);
  const previousCount = useRef(count);
  useEffect(() => {
    const isRemoved = count < previousCount.current;
    previousCount.current = count;
    if (isRemoved && isInside.current) focusAdder(sentence.current);
  }, [count, sentence]);
  useEffect(() => {
    if (!isEditing) return undefined;
    const container = sentence.current;
    // The closed card returns the focus in the next frame, where its menu item or chip still exists.
    return () => void requestAnimationFrame(() => focusAdder(container));
  }, [isEditing, sentence]);
  // Cards of the chips are inside for React, though not in the document.
  return {
    onFocus: () => {
      isInside.current = true;
    },
    onBlur: ({ relatedTarget }: FocusEvent) => {
      isInside.current = relatedTarget === null;
    },
  };
}
