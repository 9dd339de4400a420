import { useEffect, useRef, useState } from 'react';
import type { Comparison, Condition, ConditionGroup } from '../../../../contract/rules/query/condition.ts';
import type { Field } from '../model/schema.ts';
import { parseFilter, replaceCondition, toFilterDraft, toQueryObject } from './draft.ts';
import type { QueryObject } from './draft.ts';

/** Time after the last change of a condition until the filter enters the URL. */
export const TYPING_PAUSE_MS = 300;

/** The change of one condition of the filter in its chip. */
interface ConditionEdit {
  /** The filter when the chip was opened; an added condition is its last one. */
  base: ConditionGroup;
  index: number;
  comparison: Comparison;
  isOpen: boolean;
  error?: string | undefined;
}

/**
 * Edits one condition of a filter at a time: the filter with the change enters the URL after a typing pause, without the
 * condition while that is incomplete. `isStep`: the first change of a condition is a history entry of its own.
 */
export function useConditionEdit(
  condition: Condition | undefined,
  fields: readonly Field[],
  onChange: (query: QueryObject | undefined, isStep: boolean) => void,
) {
  const [edit, setEdit] = useState<ConditionEdit>();
  const [lastCondition, setLastCondition] = useState(condition);
  const timer = useRef<number>(undefined);
  const flush = useRef<() => void>(undefined);
  const applied = useRef<{ query: string | undefined; isFirst: boolean }>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const stored = toFilterDraft(condition);
  if (condition !== lastCondition) {
    setLastCondition(condition);
    // A closed card is shown until its filter has reached the URL, so that its chip keeps the focus.
    if (edit && !edit.isOpen) setEdit(undefined);
  }

  const draft = edit ? replaceCondition(edit.base, [edit.index], edit.comparison) : stored;
  const start = (base: ConditionGroup, index: number) => {
    const comparison = base.conditions[index];
    if (comparison?.kind !== 'comparison') return;
    const query = toQueryObject(base);
    const key = JSON.stringify(query);
    // A Boolean is complete from the start.
    const isNew = key !== JSON.stringify(toQueryObject(draft));
    if (isNew) onChange(query, true);
    applied.current = { query: key, isFirst: !isNew };
    setEdit({ base, index, comparison, isOpen: true });
  };
  return {
    /** The filter to show: the stored one, with the condition that is edited. */
    draft,
    /** The filter before the change, in which each condition has the operator it is known by. */
    base: edit?.base ?? stored,
    /** Index of the condition whose card is open. */
    openIndex: edit?.isOpen === true ? edit.index : undefined,
    error: edit?.error,
    open: (index: number) => start(draft, index),
    /** Opens the last condition of a filter, which is the new one. */
    add: (filter: ConditionGroup) => start(filter, filter.conditions.length - 1),
    change: (comparison: Comparison) => {
      if (!edit) return;
      clearTimeout(timer.current);
      flush.current = undefined;
      const query = toQueryObject(replaceCondition(edit.base, [edit.index], comparison));
      const [error] = parseFilter(query, fields).errors ?? [];
      setEdit({ ...edit, comparison, error: error?.message });
      const key = JSON.stringify(query);
      if (error || key === applied.current?.query) return;
      flush.current = () => {
        flush.current = undefined;
        onChange(query, applied.current?.isFirst ?? true);
        applied.current = { query: key, isFirst: false };
      };
      timer.current = window.setTimeout(() => flush.current?.(), TYPING_PAUSE_MS);
    },
    close: () => {
      if (!edit) return;
      clearTimeout(timer.current);
      const isPending = flush.current !== undefined;
      flush.current?.();
      setEdit(isPending ? { ...edit, isOpen: false } : undefined);
    },
    /** Drops the change, when the filter is replaced as a whole. */
    cancel: () => {
      clearTimeout(timer.current);
      flush.current = undefined;
      setEdit(undefined);
    },
  };
}
