import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient } from '@tanstack/react-query';
import { useForm, useWatch } from 'react-hook-form';
import { NO_LICENSE, licenseName, licenseTypes } from '../../../../contract/rules/licenses.ts';
import { markStale } from '../../../api/effects.ts';
import { zUserLicenseInfoUpdate } from '../../../api/generated/zod.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { useUnsavedGuard } from '../../../ui/form/unsaved.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import { Form } from '../../../ui/form/Form.tsx';
import { SelectField } from '../../../ui/form/SelectField.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Fact, Facts } from '../../../ui/layout/Facts.tsx';
import { changeLicense } from '../../licenses/model/change-license.ts';
import { confirmNoLicense } from '../../licenses/model/confirm-no-license.ts';
import { LicenseHistory } from '../../licenses/pages/History.tsx';
import { useBillableEffect } from '../model/billable.ts';
import { useLicense, useUser } from './use-user.ts';
import { fullName } from '../model/user-query.ts';
import { useWords } from '../model/words.ts';

const OPTIONS = licenseTypes.map(({ licenseTypeId, description, isBillable }) => ({
  value: licenseTypeId,
  label: description,
  hint: isBillable ? 'Billable' : 'Not billable',
}));

/** The user's license, a change of it with what it does to the bill, and every earlier one. */
export function LicenseTab() {
  const { id } = useUser();
  const license = useLicense();
  return (
    <div className="user-cols">
      <div className="user-main">
        <Card title="License">
          <Facts>
            <Fact label="Now">{license.description}</Fact>
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
  const { licenseTypeId: now } = useLicense();
  const { reason } = useAllowed('updateUserLicense');
  const update = useWrite('updateUserLicense', { mutationFn: changeLicense });
  const form = useForm({
    resolver: zodResolver(zUserLicenseInfoUpdate),
    // What somebody else gives them is taken over, but not over a choice.
    values: { userId: user.id, licenseTypeId: now },
    resetOptions: { keepDirtyValues: true },
  });
  const wanted = useWatch({ control: form.control, name: 'licenseTypeId' });
  const isChosen = wanted !== now;
  useUnsavedGuard(isChosen);
  const effect = useBillableEffect(wanted, now);

  const submit = async ({ userId, licenseTypeId: to }: { userId: number; licenseTypeId: number }) => {
    if (to === NO_LICENSE && !(await confirmNoLicense(fullName(user)))) return;
    try {
      await update.mutateAsync({ userId, from: now, to });
    } catch {
      // What is there now may be another license than the one on screen; the choice stays in the form.
      void markStale(client, 'updateUserLicense').catch(() => undefined);
      return;
    }
    toast({ title: `${fullName(user)} has ${licenseName(to)}` });
  };

  return (
    <div className="user-card-form">
      <Form
        form={form}
        pending={update.isPending}
        error={useWords(update.error)}
        submit="Change license"
        disabledReason={reason ?? (isChosen ? undefined : 'Choose another license first')}
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
