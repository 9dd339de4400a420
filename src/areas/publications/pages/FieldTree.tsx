import { useEffect, useId, useRef, useState } from 'react';
import type { FieldVm, TopicEntryType } from '../../../../contract/generated/types.gen.ts';
import { foldText } from '../../../../contract/rules/fold-text.ts';
import { fieldTypes } from '../../../../contract/rules/schema/fields.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import type { TopicSchema } from '../model/schema.ts';
import { chooseField, chooseType, getChoice } from '../model/topic-form.ts';
import type { Choice } from '../model/topic-form.ts';
import '../../../ui/form/check.css';

/** Entry types that are open from the start when there are not more. */
const MAX_OPEN_TYPES = 2;

interface FieldTreeProps {
  schema: TopicSchema;
  /** Chosen types and fields; null for a topic that streams everything. */
  entryTypes: readonly TopicEntryType[] | null;
  /** Set for a tree in a form, with a checkbox for each type and field. */
  onChange?: (entryTypes: TopicEntryType[]) => void;
}

const getTypeName = ({ fieldType }: FieldVm): string =>
  fieldTypes.find(({ id }) => id === fieldType)?.name ?? 'Other';

/** Entry types with their fields, searched by name. Without `onChange` it shows what a topic streams. */
export function FieldTree({ schema, entryTypes, onChange }: FieldTreeProps) {
  const [q, setQ] = useState('');
  const needle = foldText(q.trim());
  const matches = ({ name, apiName }: { name: string; apiName: string }) =>
    foldText(`${name} ${apiName}`).includes(needle);
  const types = schema.types.flatMap((type) => {
    const choice: Choice = entryTypes ? getChoice(entryTypes, type.id) : 'all';
    if (!onChange && choice !== 'all' && choice.size === 0) return [];
    const all = schema.getFields(type.id);
    const streamed = onChange ? all : all.filter(({ id }) => choice === 'all' || choice.has(id));
    const isMatch = matches({ name: `${type.pluralName} ${type.singularName}`, apiName: type.apiName });
    const fields = isMatch ? streamed : streamed.filter(matches);
    return isMatch || fields.length > 0 ? [{ type, choice, all, fields }] : [];
  });
  return (
    <div className="pub-tree">
      <SearchField label="Search fields" placeholder="Type, field or API name" value={q} onChange={setQ} />
      {types.length === 0 && (
        <p className="pub-soft">
          {needle === '' ? 'There are no entry types.' : 'No type or field has this in its name.'}
        </p>
      )}
      {types.map(({ type, choice, all, fields }) => (
        <TypeNode
          // Opened again by a search, and by its end as before.
          key={`${type.id} ${needle === ''}`}
          name={type.pluralName}
          apiName={type.apiName}
          {...{ choice, fields }}
          fieldCount={all.length}
          isOpen={needle !== '' || types.length <= MAX_OPEN_TYPES || (choice !== 'all' && choice.size > 0)}
          onType={onChange && ((isChosen) => onChange(chooseType(entryTypes ?? [], type.id, isChosen)))}
          onField={
            onChange &&
            ((fieldId, isChosen) =>
              onChange(
                chooseField(entryTypes ?? [], type.id, fieldId, {
                  isChosen,
                  allIds: all.map(({ id }) => id),
                }),
              ))
          }
        />
      ))}
    </div>
  );
}

interface TypeNodeProps {
  name: string;
  apiName: string;
  choice: Choice;
  /** Fields that match the search. */
  fields: readonly FieldVm[];
  fieldCount: number;
  isOpen: boolean;
  onType: ((isChosen: boolean) => void) | undefined;
  onField: ((fieldId: number, isChosen: boolean) => void) | undefined;
}

function TypeNode({
  name,
  apiName,
  choice,
  fields,
  fieldCount,
  isOpen: startsOpen,
  onType,
  onField,
}: TypeNodeProps) {
  const [isOpen, setIsOpen] = useState(startsOpen);
  const listId = useId();
  return (
    <section className="pub-type" aria-label={name}>
      <div className="pub-type-head">
        {onType && (
          <TypeCheckbox
            label={`All fields of ${name}`}
            state={choice === 'all' ? 'all' : choice.size > 0 ? 'some' : 'none'}
            onChange={onType}
          />
        )}
        <Button
          size="small"
          variant="quiet"
          aria-expanded={isOpen}
          aria-controls={listId}
          onClick={() => setIsOpen(!isOpen)}
        >
          <span className="pub-type-name">{name}</span>
        </Button>
        <code>{apiName}</code>
        <small className="num">
          {choice === 'all'
            ? `all ${pluralize(fieldCount, 'field', 'fields')}, later ones too`
            : `${formatNumber(choice.size)} of ${pluralize(fieldCount, 'field', 'fields')}`}
        </small>
      </div>
      <ul id={listId} className="pub-fields" hidden={!isOpen}>
        {fields.map((field) => (
          <li key={field.id}>
            {onField ? (
              <label className="pub-field">
                <input
                  type="checkbox"
                  className="checkbox"
                  checked={choice === 'all' || choice.has(field.id)}
                  onChange={({ target }) => onField(field.id, target.checked)}
                />
                <span>{field.name}</span>
              </label>
            ) : (
              <span className="pub-field">{field.name}</span>
            )}
            <code>{field.apiName}</code>
            <small>{getTypeName(field)}</small>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface TypeCheckboxProps {
  label: string;
  state: 'all' | 'some' | 'none';
  onChange: (isChosen: boolean) => void;
}

/** Checkbox of a type: indeterminate while only some of its fields are chosen. */
function TypeCheckbox({ label, state, onChange }: TypeCheckboxProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current) input.current.indeterminate = state === 'some';
  }, [state]);
  return (
    <input
      ref={input}
      type="checkbox"
      className="checkbox"
      aria-label={label}
      checked={state === 'all'}
      onChange={({ target }) => onChange(target.checked)}
    />
  );
}
