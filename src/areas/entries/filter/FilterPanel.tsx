import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { ConditionGroup } from '../../../../contract/rules/query/condition.ts';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import type { Field, Schema } from '../model/schema.ts';
import { toFilterDraft, toQueryObject } from './draft.ts';
import type { QueryObject } from './draft.ts';
import { formatFilterText, parseFilter } from './draft.ts';
import type { FilterSource } from './draft.ts';
import { FilterBuilder } from './FilterBuilder.tsx';
import { focusCondition } from './focus.ts';
import { OPERATOR_HELP } from './operators.ts';
import { QueryEditor } from './QueryEditor.tsx';
import { TYPING_PAUSE_MS } from './use-condition-edit.ts';
import { useNameLookup } from './use-name-lookup.ts';
import './filter.css';

interface FilterPanelProps {
  /** The filter in the URL. */
  filter: FilterSource;
  fields: readonly Field[];
  schema: Schema;
  /** Index of the condition to focus; each new object moves the focus. */
  focusRequest: { at: number } | undefined;
  /** `isStep`: the new query replaces one that was not made here, so it becomes a history entry of its own. */
  onFilterChange: (query: QueryObject | undefined, isStep: boolean) => void;
  /** The list's request as a curl command. */
  curl: string;
}

interface EditorState {
  draft: ConditionGroup;
  text: string;
}

const createEditorState = (filter: FilterSource, fields: readonly Field[]): EditorState => {
  const { condition } = parseFilter(filter, fields);
  return { draft: toFilterDraft(condition), text: formatFilterText(filter) };
};

/**
 * The filter builder and the query text side by side. Each follows changes of the other, and the filter enters the URL
 * after a typing pause. An invalid query stays in the editor with its errors.
 */
export default function FilterPanel({
  filter,
  fields,
  schema,
  focusRequest,
  onFilterChange,
  curl,
}: FilterPanelProps) {
  const router = useRouter();
  const [state, setState] = useState(() => createEditorState(filter, fields));
  const filterKey = JSON.stringify(filter);
  const [lastFilterKey, setLastFilterKey] = useState(filterKey);
  // Own queries that are not in the URL yet: when they arrive there, the editor keeps what is being typed.
  const [pendingKeys, setPendingKeys] = useState<readonly (string | undefined)[]>([]);
  const ownKey = useRef<string>(undefined);
  const timer = useRef<number>(undefined);
  const flush = useRef<() => void>(undefined);
  // Closing the panel before the pause ends applies the filter; leaving the page discards it.
  useEffect(() => {
    const unsubscribe = router.subscribe('onBeforeNavigate', ({ pathChanged }) => {
      if (pathChanged) flush.current = undefined;
    });
    return () => {
      unsubscribe();
      clearTimeout(timer.current);
      flush.current?.();
    };
  }, [router]);
  if (filterKey !== lastFilterKey) {
    const index = pendingKeys.indexOf(filterKey);
    setLastFilterKey(filterKey);
    setPendingKeys(pendingKeys.slice(index + 1));
    // Changed from outside: Back, a filter chip, a link.
    if (index < 0) setState(createEditorState(filter, fields));
  }
  const { errors = [] } = parseFilter(state.text, fields);
  useEffect(() => {
    if (focusRequest) focusCondition(focusRequest.at);
  }, [focusRequest]);
  const lookUpName = useNameLookup(state.draft, fields, schema);

  const update = (next: EditorState) => {
    setState(next);
    clearTimeout(timer.current);
    flush.current = undefined;
    const { condition } = parseFilter(next.text, fields);
    if (!condition) return;
    const query = toQueryObject(condition);
    flush.current = () => {
      flush.current = undefined;
      const queryKey = JSON.stringify(query);
      setPendingKeys((before) => [...before, queryKey]);
      onFilterChange(query, ownKey.current === undefined || ownKey.current !== filterKey);
      ownKey.current = queryKey;
    };
    timer.current = window.setTimeout(() => flush.current?.(), TYPING_PAUSE_MS);
  };
  const changeDraft = (draft: ConditionGroup) =>
    update({ draft, text: formatFilterText(toQueryObject(draft)) });
  const changeText = (text: string) => {
    const { condition } = parseFilter(text, fields);
    update({ text, draft: condition ? toFilterDraft(condition) : state.draft });
  };

  return (
    <section className="find" aria-label="Find entries">
      <div className="find-builder">
        <FilterBuilder draft={state.draft} {...{ fields, schema, lookUpName }} onChange={changeDraft} />
      </div>
      <div className="find-query">
        <label htmlFor="find-text">
          Query <span className="find-quiet">JSON5, as in the API</span>
        </label>
        <QueryEditor id="find-text" text={state.text} {...{ fields, errors }} onChange={changeText} />
        <div className="find-foot">
          <details>
            <summary>As curl</summary>
            <div className="find-curl">
              <pre className="mono">{curl}</pre>
              <CopyButton value={curl} label="Copy as curl" />
            </div>
          </details>
          <details>
            <summary>Operators</summary>
            <dl className="find-help">
              {OPERATOR_HELP.map(({ operator, example, meaning }) => (
                <div key={operator}>
                  <dt>
                    <code>{operator}</code>
                  </dt>
                  <dd>
                    {meaning} <code>{example}</code>
                  </dd>
                </div>
              ))}
            </dl>
          </details>
        </div>
      </div>
    </section>
  );
}
