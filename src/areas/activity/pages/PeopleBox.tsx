import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { ComboBox, Input } from 'react-aria-components';
import { findPeople, resolveText, useDirectory } from '../../../directory/directory.ts';
import { counted } from '../../../lib/numbers.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import { OptionList } from '../../../ui/form/options.tsx';
import type { FieldOption } from '../../../ui/form/options.tsx';
import '../../../ui/form/form.css';
import '../../../ui/form/search.css';

interface PeopleBoxProps {
  chosen: readonly number[];
  onAdd: (userIds: readonly number[]) => void;
}

const MOST = 10;
const ID = /^(?:id:\s*)?([1-9]\d{0,9})$/i;
const SEVERAL = /[\n,;]/;

/** Whom a text means by its number alone: somebody who has left is in the report, but not in the directory. */
function byNumber(typed: string, known: readonly FieldOption[]): FieldOption[] {
  const id = Number(ID.exec(typed)?.[1] ?? 0);
  if (id === 0 || known.some(({ value }) => value === id)) return [];
  return [{ value: id, label: `User ${id}`, hint: 'Nobody here now has this id' }];
}

/** The people whom a pasted list means; says who could not be told. */
async function readList(text: string): Promise<number[]> {
  const { matched, ambiguous, unknown } = await resolveText(text);
  const left = [...ambiguous.map(({ entry }) => entry), ...unknown];
  if (left.length > 0) {
    toast({
      tone: 'info',
      title: `${counted(left.length, 'entry was', 'entries were')} not added`,
      description: `Nobody, or several people: ${left.slice(0, MOST).join(', ')}`,
    });
  }
  return matched.flatMap(({ ids }) => ids);
}

/** Takes people by name, e-mail or id, one after another or as a pasted list. */
export function PeopleBox({ chosen, onAdd }: PeopleBoxProps) {
  const [typed, setTyped] = useState('');
  const asked = useDeferredValue(typed.trim());
  const { version } = useDirectory();
  const { data: people = [] } = useQuery({
    queryKey: ['people', asked, version],
    queryFn: () => findPeople(asked, MOST),
    enabled: asked !== '',
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const found = people.map(({ id: value, name, email }) => ({ value, label: name, hint: email }));
  const options = asked === '' ? [] : [...found, ...byNumber(asked, found)];
  const offered = options.filter(({ value }) => !chosen.includes(Number(value)));
  const pick = (userId: unknown) => {
    if (typeof userId !== 'number') return;
    setTyped('');
    onAdd([userId]);
  };
  return (
    <search className="search act-people">
      <Search />
      <ComboBox
        items={offered}
        inputValue={typed}
        onInputChange={setTyped}
        value={null}
        onChange={pick}
        // Who was picked is gone from the field: an empty list must not cover what comes next.
        allowsEmptyCollection={typed.trim() !== ''}
        aria-label="People"
      >
        <Input
          className="input"
          placeholder="People by name, e-mail or id"
          onKeyDown={(event) => {
            // Nothing is marked in the list yet: Enter takes the best, which stands first.
            if (event.key !== 'Enter' || event.currentTarget.getAttribute('aria-activedescendant')) return;
            event.preventDefault();
            pick(offered[0]?.value);
          }}
          onPaste={(event) => {
            const text = event.clipboardData.getData('text');
            if (!SEVERAL.test(text.trim())) return;
            event.preventDefault();
            void readList(text).then(onAdd);
          }}
        />
        <OptionList label="People" />
      </ComboBox>
    </search>
  );
}
