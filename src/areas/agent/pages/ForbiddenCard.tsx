import { useState } from 'react';
import { Button } from '../../../ui/button/Button.tsx';
import { LabelledSelect } from '../../../ui/form/select/Select.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { useSchemaNames } from '../model/queries.ts';
import { describeBan, isForbidden, useForbid } from '../model/use-forbid.ts';
import type { ForbiddenPart } from '../model/use-forbid.ts';
import '../panels/agent.css';

/** Stands for all fields of a type in the list of its fields. */
const WHOLE_TYPE = 0;

interface Choice {
  entryTypeId: number | undefined;
  fieldId: number;
}
const NO_CHOICE: Choice = { entryTypeId: undefined, fieldId: WHOLE_TYPE };

/** Entry types and fields that no agent of the site may read. */
export function ForbiddenCard() {
  const { forbidden, change, disabledReason } = useForbid();
  const { fields, getTypeName, getFieldName } = useSchemaNames();
  const typeByField = new Map(fields.map(({ id, entryTypeId }) => [id, entryTypeId]));
  const parts: { part: ForbiddenPart; name: string }[] = [
    ...forbidden.entryTypeIds.map((entryTypeId) => ({
      part: { entryTypeId },
      name: getTypeName(entryTypeId),
    })),
    ...forbidden.fieldIds.map((fieldId) => {
      const typeId = typeByField.get(fieldId);
      const typeName = typeId === undefined ? '' : `${getTypeName(typeId)}, `;
      return { part: { fieldId }, name: typeName + getFieldName(fieldId) };
    }),
  ];
  const calculated = forbidden.calculatedFieldIds.map(getFieldName).join(', ');
  return (
    <Card title="Forbidden to agents">
      <CardBody>
        <div className="agent-stack">
          <p className="agent-soft">
            No agent sees these entry types and fields, whatever its key allows: it can neither read them nor
            filter or sort by them.
          </p>
          {parts.length > 0 && (
            <ul className="agent-list" aria-label="Forbidden to agents">
              {parts.map(({ part, name }) => (
                <li key={JSON.stringify(part)}>
                  {name}
                  <span className="agent-end">
                    <Button
                      size="small"
                      aria-label={`Allow ${name}`}
                      disabledReason={disabledReason}
                      onClick={() => void change(part, name, false)}
                    >
                      Allow
                    </Button>
                  </span>
                </li>
              ))}
            </ul>
          )}
          {calculated !== '' && (
            <p className="agent-soft">Calculated from them, and forbidden too: {calculated}.</p>
          )}
          <ForbidForm />
        </div>
      </CardBody>
    </Card>
  );
}

/** Chooses an entry type, or one of its fields, to forbid. */
function ForbidForm() {
  const { forbidden, change, disabledReason } = useForbid();
  const { types, fields, getTypeName, getFieldName } = useSchemaNames();
  const [choice, setChoice] = useState(NO_CHOICE);
  const { entryTypeId, fieldId } = choice;
  const options = fields.filter(
    (field) =>
      field.entryTypeId === entryTypeId &&
      describeBan(forbidden, { entryTypeId, fieldId: field.id }) === undefined,
  );
  const isWhole = fieldId === WHOLE_TYPE;
  const forbid = () => {
    if (entryTypeId === undefined) return;
    const name = isWhole ? getTypeName(entryTypeId) : `${getTypeName(entryTypeId)}, ${getFieldName(fieldId)}`;
    // A refused choice stays, so that the next click asks for the same and not for the whole type.
    void change(isWhole ? { entryTypeId } : { fieldId }, name, true, () =>
      setChoice((now) => (now === choice ? NO_CHOICE : now)),
    );
  };
  return (
    <div className="agent-forbid">
      <LabelledSelect
        label="Entry type"
        options={types
          .filter(({ id }) => !isForbidden(forbidden, { entryTypeId: id }))
          .map(({ id, pluralName }) => ({ value: id, label: pluralName }))}
        value={entryTypeId}
        searchable
        onChange={(id) => setChoice({ entryTypeId: id, fieldId: WHOLE_TYPE })}
      />
      <LabelledSelect
        label="Field"
        options={[
          { value: WHOLE_TYPE, label: 'The whole entry type' },
          ...options.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        value={fieldId}
        searchable
        onChange={(id) => setChoice({ entryTypeId, fieldId: id })}
      />
      <Button
        disabledReason={disabledReason ?? (entryTypeId === undefined ? 'Choose an entry type' : undefined)}
        onClick={forbid}
      >
        Forbid
      </Button>
    </div>
  );
}
