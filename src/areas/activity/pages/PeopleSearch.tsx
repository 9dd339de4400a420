import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { ComboBox, Input } from 'react-aria-components';
import { findPeople, resolvePastedText, useDirectory } from '../../../directory/directory.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { OptionList } from '../../../ui/form/OptionList.tsx';
import type { FieldOption } from '../../../ui/form/OptionList.tsx';
import { toast } from '../../../ui/toast.ts';
import '../../../ui/form/form.css';
import '../../../ui/form/search.css';

interface PeopleSearchProps {
  selectedIds: readonly number[];
  onAdd: (userIds: readonly number[]) => void;
}

const MAX_RESULTS = 10;
const ID = /^(?:id:\s*)?([1-9]\d{0,9})$/i;
const LIST_SEPARATOR = /[\n,;]/;

/** Option for a user id that is not in the directory: former members are still in the report. */
function createIdOption(text: string, matches: readonly FieldOption[]): FieldOption[] {
  const id = Number(ID.exec(text)?.[1] ?? 0);
  if (id === 0 || matches.some(({ value }) => value === id)) return [];
  return [{ value: id, label: `User ${id}`, hint: 'No current member has this id' }];
}

/** Resolves a pasted list to user ids and reports the entries that match no one or several people. */
async function resolvePastedList(text: string): Promise<number[]> {
  const { matched, ambiguous, unknown } = await resolvePastedText(text);
  const unresolved = [...ambiguous.map(({ entry }) => entry), ...unknown];
  if (unresolved.length > 0) {
    toast({
      tone: 'info',
      title: `${pluralize(unresolved.length, 'entry was', 'entries were')} not added`,
      description: `They match no one or several people: ${unresolved.slice(0, MAX_RESULTS).join(', ')}`,
    });
  }
  return matched.flatMap(({ ids }) => ids);
}

/** Search field that adds people by name, e-mail or id, one by one or as a pasted list. */
export function PeopleSearch({ selectedIds, onAdd }: PeopleSearchProps) {
  const [inputText, setInputText] = useState('');
  const query = useDeferredValue(inputText.trim());
  const { version } = useDirectory();
  const { data: people = [] } = useQuery({
    queryKey: ['people', query, version],
    queryFn: () => findPeople(query, MAX_RESULTS),
    enabled: query !== '',
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const matches = people.map(({ id: value, name, email }) => ({ value, label: name, hint: email }));
  const options = query === '' ? [] : [...matches, ...createIdOption(query, matches)];
  const unselected = options.filter(({ value }) => !selectedIds.includes(Number(value)));
  const add = (userId: unknown) => {
    if (typeof userId !== 'number') return;
    setInputText('');
    onAdd([userId]);
  };
  return (
    <search className="search act-people">
      <Search />
      <ComboBox
        items={unselected}
        inputValue={inputText}
        onInputChange={setInputText}
        value={null}
        onChange={add}
        // The field is cleared after a selection; an empty list must not cover the page then.
        allowsEmptyCollection={inputText.trim() !== ''}
        aria-label="People"
      >
        <Input
          className="input"
          placeholder="People by name, e-mail or id"
          onKeyDown={(event) => {
            // Without a focused option, Enter selects the first one, which is the best match.
            if (event.key !== 'Enter' || event.currentTarget.getAttribute('aria-activedescendant')) return;
            event.preventDefault();
            add(unselected[0]?.value);
          }}
          onPaste={(event) => {
            const text = event.clipboardData.getData('text');
            if (!LIST_SEPARATOR.test(text.trim())) return;
            event.preventDefault();
            void resolvePastedList(text).then(onAdd);
          }}
        />
        <OptionList label="People" />
      </ComboBox>
    </search>
  );
}
