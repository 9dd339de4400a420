import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { RelationshipSettings } from '../../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { toServiceError } from '../../../api/errors.ts';
import { listAllFieldsOptions } from '../../../api/generated/queries/schema.gen.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { FailureBanner } from '../../../ui/feedback/FailureBanner.tsx';
import { LabelledSelect } from '../../../ui/form/select/Select.tsx';
import { SwitchRow } from '../../../ui/form/Toggle.tsx';
import { toTypeOption } from '../../../ui/layout/TypeTile.tsx';
import { typesQuery } from '../../entries/index.ts';
import { useUpdateSettings } from './use-update-settings.ts';

/** Automated contact creation, and the entry type in which contacts are found and created. */
export function ContactsRow({
  settings: { contacts, automatedContactCreation },
}: {
  settings: RelationshipSettings;
}) {
  const { save, reason, isPending } = useUpdateSettings();
  const types = useQuery(typesQuery);
  const fields = useQuery(listAllFieldsOptions());
  const [typeId, setTypeId] = useState(contacts?.entryTypeId);
  const [fieldId, setFieldId] = useState(contacts?.emailFieldId);
  const failure = types.error ?? fields.error;
  const listTextFields = (ofType: number | undefined) =>
    (fields.data ?? []).filter(
      ({ entryTypeId, fieldType, isCalculated }) =>
        entryTypeId === ofType && fieldType === FIELD.text && !isCalculated,
    );
  const chooseType = (id: number) => {
    setTypeId(id);
    setFieldId(listTextFields(id).find(({ apiName, name }) => /e-?mail/i.test(`${apiName} ${name}`))?.id);
  };
  const isSaved = typeId === contacts?.entryTypeId && fieldId === contacts?.emailFieldId;
  const missing =
    typeId === undefined || fieldId === undefined ? 'Choose an entry type and its e-mail field' : undefined;
  return (
    <div id="contacts" className="ri-contacts">
      <SwitchRow
        label="Automated contact creation"
        hint="Outside addresses become entries; the display name is their name."
        checked={automatedContactCreation}
        disabledReason={reason ?? (contacts === null ? 'Save the entry type of contacts first' : undefined)}
        onChange={(on) => save({ automatedContactCreation: on })}
      />
      {types.data?.length === 0 && (
        <p className="ri-note">
          The site has no entry types yet. <Link to="/entries">Create one</Link> with a text field for the
          e-mail address.
        </p>
      )}
      <div className="ri-contacts-fields" hidden={types.data?.length === 0}>
        {failure && <FailureBanner failure={toServiceError(failure)} />}
        <LabelledSelect
          className="field"
          label="Entry type of contacts"
          searchable
          placeholder="Choose an entry type"
          options={(types.data ?? []).map(toTypeOption)}
          value={typeId}
          onChange={chooseType}
        />
        <LabelledSelect
          className="field"
          label="E-mail field"
          searchable
          placeholder={typeId === undefined ? 'Choose the entry type first' : 'Choose a text field'}
          options={listTextFields(typeId).map(({ id, name }) => ({ value: id, label: name }))}
          value={fieldId}
          onChange={setFieldId}
        />
        <Button
          pending={isPending}
          disabledReason={reason ?? missing ?? (isSaved ? 'This is what is saved' : undefined)}
          onClick={() => {
            if (typeId !== undefined && fieldId !== undefined)
              save({ contacts: { entryTypeId: typeId, emailFieldId: fieldId } }, 'Contacts saved');
          }}
        >
          Save contacts
        </Button>
      </div>
    </div>
  );
}
