import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient } from '@tanstack/react-query';
import { useForm, useWatch } from 'react-hook-form';
import { NO_LICENSE, getLicenseName, licenseTypes } from '../../../../contract/rules/people/licenses.ts';
import { zUserLicenseInfoUpdate } from '../../../api/generated/zod.gen.ts';
import { invalidateAfter } from '../../../api/invalidation.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { toastUndoable } from '../../../app/state/undo.ts';
import { useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import { Form } from '../../../ui/form/Form.tsx';
import { SelectField } from '../../../ui/form/select/SelectField.tsx';
import { Card, Fact, Facts } from '../../../ui/layout/Card.tsx';
import { changeLicense, confirmNoLicense, LicenseHistory } from '../../licenses/index.ts';
import { useBillableEffect } from '../model/billable.ts';
import { formatFullName } from '../model/user-query.ts';
import { useUserWriteError } from '../model/write-errors.ts';
import { useLicense, useUser } from './use-user.ts';

const OPTIONS = licenseTypes.map(({ licenseTypeId, description, isBillable }) => ({
  value: licenseTypeId,
  label: description,
  hint: isBillable ? 'Billable' : 'Not billable',
}));

/** License of the user, a form to change it with the effect on billing, and the license history. */
export function LicenseTab() {
  const { id } = useUser();
  const license = useLicense();
  return (
    <div className="user-cols">
      <div className="user-main">
        <Card title="License">
          <Facts>
            <Fact label="Current license">{license.description}</Fact>
            <Fact label="Billable">{license.isBillable ? 'Yes' : 'No'}</Fact>
          </Facts>
        </Card>
        <Card title="Change license">
          <ChangeLicense />
        </Card>
        <LicenseHistory userId={id} />
      </div>
    </div>
  );
}

function ChangeLicense() {
  const client = useQueryClient();
  const user = useUser();
  const { licenseTypeId: currentTypeId } = useLicense();
  const { reason } = usePermission('updateUserLicense');
  const update = useWrite('updateUserLicense', { mutationFn: changeLicense });
  const form = useForm({
    resolver: zodResolver(zUserLicenseInfoUpdate),
    // Changes by others are accepted unless a license was selected.
    values: { userId: user.id, licenseTypeId: currentTypeId },
    resetOptions: { keepDirtyValues: true },
  });
  const selectedTypeId = useWatch({ control: form.control, name: 'licenseTypeId' });
  const isChanged = selectedTypeId !== currentTypeId;
  useUnsavedGuard(isChanged);
  const effect = useBillableEffect(selectedTypeId, currentTypeId);

  const submit = async ({ userId, licenseTypeId: to }: { userId: number; licenseTypeId: number }) => {
    if (to === NO_LICENSE && !(await confirmNoLicense(formatFullName(user)))) return;
    try {
      await update.mutateAsync({ userId, from: currentTypeId, to });
    } catch {
      // The current license may differ from the one shown; the selection stays in the form.
      void invalidateAfter(client, 'updateUserLicense').catch(() => undefined);
      return;
    }
    toastUndoable({
      title: `${formatFullName(user)} has ${getLicenseName(to)}`,
      subject: formatFullName(user),
      undone: `${formatFullName(user)} has ${getLicenseName(currentTypeId)} again`,
      revert: () => update.mutateAsync({ userId, from: to, to: currentTypeId }),
    });
  };

  return (
    <div className="user-card-form">
      <Form
        form={form}
        pending={update.isPending}
        error={useUserWriteError(update.error)}
        submitLabel="Change license"
        disabledReason={reason ?? (isChanged ? undefined : 'Choose another license first')}
        onSubmit={submit}
      >
        <SelectField
          control={form.control}
          name="licenseTypeId"
          label="New license"
          options={OPTIONS}
          hint={effect}
        />
      </Form>
    </div>
  );
}
