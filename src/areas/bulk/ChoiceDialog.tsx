import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod/mini';
import { licenseTypes } from '../../../contract/rules/licenses.ts';
import { useDirectory } from '../../directory/directory.ts';
import { Dialog } from '../../ui/dialog/Dialog.tsx';
import { Form } from '../../ui/form/Form.tsx';
import { MultiSelectField } from '../../ui/form/MultiSelectField.tsx';
import { SelectField } from '../../ui/form/SelectField.tsx';
import { openBulk } from './index.ts';
import type { BulkChoice } from './request.ts';
import { people } from './words.ts';

const LICENSES = licenseTypes.map(({ licenseTypeId, description, isBillable }) => ({
  value: licenseTypeId,
  label: description,
  hint: isBillable ? 'Billable' : 'Not billable',
}));
const zLicense = z.object({ licenseTypeId: z.number('Choose a license') });
const zGroups = z.object({
  groupIds: z.array(z.number()).check(z.minLength(1, 'Choose at least one group')),
});

interface ChoiceProps {
  choice: BulkChoice;
  onClose: () => void;
}

/** Which license, or which groups; the dry run follows. */
export default function ChoiceDialog(props: ChoiceProps) {
  return props.choice.choose === 'license' ? <LicenseChoice {...props} /> : <GroupChoice {...props} />;
}

function LicenseChoice({ choice: { userIds, onBegin }, onClose }: ChoiceProps) {
  const form = useForm({ resolver: zodResolver(zLicense) });
  return (
    <Dialog title={`Change the license of ${people(userIds.length)}`} onClose={onClose}>
      <Form
        form={form}
        pending={false}
        error={null}
        submit="Review"
        onCancel={onClose}
        onSubmit={({ licenseTypeId }) =>
          openBulk({ action: { kind: 'license', licenseTypeId }, userIds, onBegin })
        }
      >
        <SelectField control={form.control} name="licenseTypeId" label="License" options={LICENSES} />
      </Form>
    </Dialog>
  );
}

function GroupChoice({ choice: { choose, userIds, onBegin }, onClose }: ChoiceProps) {
  const { groups } = useDirectory();
  const form = useForm<{ groupIds: number[] }>({
    resolver: zodResolver(zGroups),
    defaultValues: { groupIds: [] },
  });
  const adds = choose === 'addGroups';
  const options = groups
    .map(({ id, name }) => ({ value: id, label: name }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  return (
    <Dialog
      title={
        adds ? `Add ${people(userIds.length)} to groups` : `Remove ${people(userIds.length)} from groups`
      }
      onClose={onClose}
    >
      <Form
        form={form}
        pending={false}
        error={null}
        submit="Review"
        onCancel={onClose}
        onSubmit={({ groupIds }) =>
          openBulk({
            action: adds ? { kind: 'addGroups', groupIds } : { kind: 'removeGroups', groupIds },
            userIds,
            onBegin,
          })
        }
      >
        <MultiSelectField
          control={form.control}
          name="groupIds"
          label="Groups"
          placeholder="Choose groups"
          options={options}
          hint={
            adds
              ? 'Adding takes nothing away: groups they are in stay.'
              : 'Whoever is not in a group is passed over.'
          }
        />
      </Form>
    </Dialog>
  );
}
