import type { Condition } from '../../../../contract/rules/query/tree.ts';
import { EMPTY, toDraft, toQuery } from '../filter/draft.ts';
import { useNameOf } from '../filter/use-name-of.ts';
import { nodeWords } from '../filter/words.ts';
import { useType } from '../model/use-type.ts';
import type { EntriesView } from '../model/view.ts';

/** What a list asks for, in words. */
export function useFilterWords(
  view: Pick<EntriesView, 'q'>,
  condition: Condition | undefined,
): string | undefined {
  const { schema, fields } = useType();
  const asked = condition ? toDraft(condition) : EMPTY;
  const nameOf = useNameOf(asked, fields, schema);
  const parts = [
    ...(view.q.trim() === '' ? [] : [`Search: ${view.q.trim()}`]),
    ...(toQuery(asked) ? [nodeWords(asked, fields, nameOf)] : []),
  ];
  return parts.length > 0 ? parts.join(' · ') : undefined;
}
