import { Pencil } from 'lucide-react';
import { useState } from 'react';
import type { FieldValue } from '../../../../contract/generated/types.gen.ts';
import { FIELD, isFileField } from '../../../../contract/rules/schema/fields.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Card, Fact, Facts } from '../../../ui/layout/Card.tsx';
import { stageCells } from '../editing/change-set-store.ts';
import type { InvalidInput } from '../editing/change-set.ts';
import { EntryForm } from '../editing/editor/EntryForm.tsx';
import { getRowErrors, useGridEditing } from '../editing/grid-editing.ts';
import { getFormFields } from '../model/schema.ts';
import type { Field } from '../model/schema.ts';
import { toItems, getValue } from '../model/values.ts';
import { ValueView } from '../model/ValueView.tsx';
import type { Entry } from './entry-query.ts';
import { EntryFiles } from './EntryFiles.tsx';

interface EntryValuesProps {
  entry: Entry;
  fields: readonly Field[];
}

/** The values of an entry with its staged changes; editing replaces the card by a form with the rules of the grid. */
export function EntryValues({ entry, fields }: EntryValuesProps) {
  const editing = useGridEditing();
  const [isEditing, setIsEditing] = useState(false);
  const staged = editing.changes.cells.get(entry.id);
  const columns = fields.map((field) => ({ field, width: 0 }));
  const errors = getRowErrors(entry.row, columns, editing);
  const getDisplayedValue = (field: Field) => {
    const cell = staged?.get(field.id);
    return cell ? cell.value : getValue(entry.row, field);
  };
  const getStagedCell = ({ id }: Field) => staged?.get(id);
  const stage = (field: Field, value: FieldValue | undefined, invalidInput?: InvalidInput) =>
    stageCells(
      editing.typeId,
      [
        {
          entryId: entry.id,
          entryName: entry.name,
          fieldId: field.id,
          before: getValue(entry.row, field),
          value,
          ...(invalidInput && { invalidInput }),
        },
      ],
      `Edit ${field.name}`,
    );
  const isDeletionStaged = editing.changes.deletions.has(entry.id);
  if (isEditing && !entry.isDeleted && !isDeletionStaged)
    return (
      <Card
        title="Edit values"
        actions={
          <Button size="small" onClick={() => setIsEditing(false)}>
            Done
          </Button>
        }
      >
        <div className="ent-form">
          <EntryForm
            fields={getFormFields(fields).filter(({ fieldType }) => !isFileField(fieldType))}
            schema={editing.schema}
            {...{ errors, getStagedCell }}
            getShownValue={getDisplayedValue}
            onChange={stage}
          />
        </div>
      </Card>
    );
  return (
    <Card
      title={entry.isDeleted ? 'Values when it was deleted' : 'Values'}
      actions={
        !entry.isDeleted && (
          <Button
            size="small"
            icon={Pencil}
            disabledReason={
              editing.refusal ?? (isDeletionStaged ? 'The deletion of this entry is staged' : undefined)
            }
            onClick={() => setIsEditing(true)}
          >
            Edit
          </Button>
        )
      }
    >
      <Facts>
        {fields.map((field) => (
          <Fact key={field.id} label={field.name}>
            <div className={getStagedCell(field) ? 'ent-staged' : undefined}>
              {getStagedCell(field)?.invalidInput ? (
                <bdi>{getStagedCell(field)?.invalidInput?.text}</bdi>
              ) : (
                <FieldValueView entry={entry} field={field} value={getDisplayedValue(field)} />
              )}
            </div>
            {errors.has(field.id) && <span className="field-error">{errors.get(field.id)}</span>}
          </Fact>
        ))}
      </Facts>
    </Card>
  );
}

const LONG_TEXT_CHARS = 2000;

interface FieldValueViewProps {
  entry: Entry;
  field: Field;
  value: FieldValue | undefined;
}

function FieldValueView({ entry, field, value }: FieldValueViewProps) {
  if (isFileField(field.fieldType))
    return <EntryFiles entryId={entry.id} field={field} value={value} canRead={!entry.isDeleted} />;
  if (toItems(value).length === 0) return <span className="ent-quiet">No data</span>;
  const isLong =
    field.fieldType === FIELD.text && typeof value === 'string' && value.length > LONG_TEXT_CHARS;
  if (!isLong) return <ValueView value={value} field={field} />;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- focusable, so that the keyboard can scroll it
    <section className="ent-long" aria-label={field.name} tabIndex={0}>
      <ValueView value={value} field={field} />
    </section>
  );
}
