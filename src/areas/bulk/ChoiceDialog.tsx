import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod/mini';
import { licenseTypes } from '../../../contract/rules/people/licenses.ts';
import { useSession } from '../../api/session.ts';
import { useDirectory } from '../../directory/directory.ts';
import { Dialog } from '../../ui/dialog/Dialog.tsx';
import { Form } from '../../ui/form/Form.tsx';
import { MultiSelectField } from '../../ui/form/select/MultiSelectField.tsx';
import { SelectField } from '../../ui/form/select/SelectField.tsx';
import { TimeZoneField } from '../../ui/form/TimeZoneField.tsx';
import type { BulkChoice } from './bulk-request.ts';
import { openBulk } from './index.ts';
import { formatPeople } from './texts.ts';

const LICENSES = licenseTypes.map(({ licenseTypeId, description, isBillable }) => ({
  value: licenseTypeId,
  label: description,
  hint: isBillable ? 'Billable' : 'Not billable',
}));
const zLicense = z.object({ licenseTypeId: z.number('Choose a license') });
const zTimeZone = z.object({ timeZone: z.string() });
const zGroups = z.object({
  groupIds: z.array(z.number()).check(z.minLength(1, 'Choose at least one group')),
});

/** Props of every form here: it leads to the dry run and sends nothing itself. */
const REVIEW_FORM = { pending: false, error: null, submitLabel: 'Review' } as const;

interface ChoiceDialogProps {
  choice: BulkChoice;
  onClose: () => void;
}

/** Asks for the license, the time zone or the groups; the dry run follows. */
export default function ChoiceDialog(props: ChoiceDialogProps) {
  const { kind } = props.choice;
  if (kind === 'license') return <LicenseChoice {...props} />;
  return kind === 'timeZone' ? <TimeZoneChoice {...props} /> : <GroupChoice {...props} />;
}

function LicenseChoice({ choice: { userIds, onStart }, onClose }: ChoiceDialogProps) {
  const form = useForm({ resolver: zodResolver(zLicense) });
  return (
    <Dialog title={`Change the license of ${formatPeople(userIds.length)}`} onClose={onClose}>
      <Form
        form={form}
        {...REVIEW_FORM}
        onCancel={onClose}
        onSubmit={({ licenseTypeId }) =>
          openBulk({ action: { kind: 'license', licenseTypeId }, userIds, onStart })
        }
      >
        <SelectField control={form.control} name="licenseTypeId" label="License" options={LICENSES} />
      </Form>
    </Dialog>
  );
}

function TimeZoneChoice({ choice: { userIds, onStart }, onClose }: ChoiceDialogProps) {
  const { site } = useSession();
  const form = useForm({ resolver: zodResolver(zTimeZone), defaultValues: { timeZone: '' } });
  return (
    <Dialog title={`Set the time zone of ${formatPeople(userIds.length)}`} onClose={onClose}>
      <Form
        form={form}
        {...REVIEW_FORM}
        onCancel={onClose}
        onSubmit={({ timeZone }) =>
          openBulk({
            action: { kind: 'timeZone', timeZone: timeZone === '' ? null : timeZone },
            userIds,
            onStart,
          })
        }
      >
        <TimeZoneField control={form.control} name="timeZone" label="Time zone" siteZone={site.timeZone} />
      </Form>
    </Dialog>
  );
}

function GroupChoice({ choice: { kind, userIds, onStart }, onClose }: ChoiceDialogProps) {
  const { groups } = useDirectory();
  const form = useForm<{ groupIds: number[] }>({
    resolver: zodResolver(zGroups),
    defaultValues: { groupIds: [] },
  });
  const adds = kind === 'addGroups';
  const options = groups
    .map(({ id, name }) => ({ value: id, label: name }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  return (
    <Dialog
      title={
        adds
          ? `Add ${formatPeople(userIds.length)} to groups`
          : `Remove ${formatPeople(userIds.length)} from groups`
      }
      onClose={onClose}
    >
      <Form
        form={form}
        {...REVIEW_FORM}
        onCancel={onClose}
        onSubmit={({ groupIds }) =>
          openBulk({
            action: adds ? { kind: 'addGroups', groupIds } : { kind: 'removeGroups', groupIds },
            userIds,
            onStart,
          })
        }
      >
        <MultiSelectField
          control={form.control}
          name="groupIds"
          label="Groups"
          placeholder="Choose groups"
          options={options}
          hint={adds ? 'Other groups stay unchanged.' : 'People who are not in a group are skipped.'}
        />
      </Form>
    </Dialog>
  );
}
