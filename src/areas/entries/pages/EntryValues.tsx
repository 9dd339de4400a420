import { Pencil } from 'lucide-react';
import { useState } from 'react';
import { FIELD, isFileField } from '../../../../contract/rules/fields.ts';
import type { FieldValue } from '../../../api/generated/types.gen.ts';
import type { Misfit } from '../editing/changes.ts';
import { EntryForm } from '../editing/EntryForm.tsx';
import { stageCells } from '../editing/store.ts';
import { faultsIn } from '../grid/sheet.ts';
import { useEditing } from '../grid/use-editing.ts';
import { formFields } from '../model/schema.ts';
import type { Field } from '../model/schema.ts';
import { ValueView } from '../model/ValueView.tsx';
import { itemsOf, valueIn } from '../model/values.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Fact, Facts } from '../../../ui/layout/Facts.tsx';
import { EntryFiles } from './EntryFiles.tsx';
import type { Entry } from './entry-query.ts';

interface EntryValuesProps {
  entry: Entry;
  fields: readonly Field[];
}

/** The values of an entry, as they are staged; edited in place of the card, with the rules of the grid. */
export function EntryValues({ entry, fields }: EntryValuesProps) {
  const editing = useEditing();
  const [isOpen, setOpen] = useState(false);
  const staged = editing.changes.cells.get(entry.id);
  const columns = fields.map((field) => ({ field, width: 0 }));
  const faults = faultsIn(entry.row, columns, editing);
  const shown = (field: Field) => {
    const cell = staged?.get(field.id);
    return cell ? cell.value : valueIn(entry.row, field);
  };
  const stagedOf = ({ id }: Field) => staged?.get(id);
  const stage = (field: Field, value: FieldValue | undefined, misfit?: Misfit) =>
    stageCells(
      editing.typeId,
      [
        {
          entryId: entry.id,
          entryName: entry.name,
          fieldId: field.id,
          before: valueIn(entry.row, field),
          value,
          ...(misfit && { misfit }),
        },
      ],
      `Edit ${field.name}`,
    );
  const goes = editing.changes.deletions.has(entry.id);
  if (isOpen && !entry.isDeleted && !goes)
    return (
      <Card
        title="Edit values"
        actions={
          <Button size="small" onClick={() => setOpen(false)}>
            Done
          </Button>
        }
      >
        <div className="ent-form">
          <EntryForm
            fields={formFields(fields).filter(({ fieldType }) => !isFileField(fieldType))}
            schema={editing.schema}
            {...{ shown, faults }}
            staged={stagedOf}
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
              editing.refusal ?? (goes ? 'This entry is to be deleted: keep it first' : undefined)
            }
            onClick={() => setOpen(true)}
          >
            Edit
          </Button>
        )
      }
    >
      <Facts>
        {fields.map((field) => (
          <Fact key={field.id} label={field.name}>
            <div className={stagedOf(field) ? 'ent-staged' : undefined}>
              {stagedOf(field)?.misfit ? (
                <bdi>{stagedOf(field)?.misfit?.text}</bdi>
              ) : (
                <FieldValueOf entry={entry} field={field} value={shown(field)} />
              )}
            </div>
            {faults.has(field.id) && <span className="field-error">{faults.get(field.id)}</span>}
          </Fact>
        ))}
      </Facts>
    </Card>
  );
}

const LONG = 2000;

interface FieldValueOfProps {
  entry: Entry;
  field: Field;
  value: FieldValue | undefined;
}

function FieldValueOf({ entry, field, value }: FieldValueOfProps) {
  if (isFileField(field.fieldType))
    return <EntryFiles entryId={entry.id} field={field} value={value} canRead={!entry.isDeleted} />;
  if (itemsOf(value).length === 0) return <span className="ent-quiet">No data</span>;
  const isLong = field.fieldType === FIELD.text && typeof value === 'string' && value.length > LONG;
  if (!isLong) return <ValueView value={value} field={field} />;
  return (
    // A stop of its own lets the keyboard scroll a long text.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className="ent-long" aria-label={field.name} tabIndex={0}>
      <ValueView value={value} field={field} />
    </section>
  );
}
