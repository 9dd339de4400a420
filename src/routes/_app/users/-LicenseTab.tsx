import { zodResolver } from '@hookform/resolvers/zod';
import { useForm, useWatch } from 'react-hook-form';
import { licenseType, licenseTypes } from '../../../../contract/rules/licenses.ts';
import { updateUserLicenseMutation } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { zUserLicenseInfoUpdate } from '../../../api/generated/zod.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { useUnsavedGuard } from '../../../shell/unsaved.ts';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import { Form } from '../../../ui/form/Form.tsx';
import { SelectField } from '../../../ui/form/SelectField.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Fact, Facts } from '../../../ui/layout/Facts.tsx';
import { useBillableEffect } from './-billable.ts';
import { useLicense, useUser } from './-use-user.ts';
import { fullName } from './-user-query.ts';
import { useWords } from './-words.ts';

const NO_LICENSE = 4;
const OPTIONS = licenseTypes.map(({ licenseTypeId, description, isBillable }) => ({
  value: licenseTypeId,
  label: description,
  hint: isBillable ? 'Billable' : 'Not billable',
}));

/** The user's license, and a change of it with what it does to the bill. */
export function LicenseTab() {
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
          {/* A changed license starts the form anew. */}
          <ChangeLicense key={license.licenseTypeId} />
        </Card>
      </div>
    </div>
  );
}

function ChangeLicense() {
  const user = useUser();
  const { licenseTypeId: now } = useLicense();
  const { reason } = useAllowed('updateUserLicense');
  const update = useWrite('updateUserLicense', updateUserLicenseMutation());
  const form = useForm({
    resolver: zodResolver(zUserLicenseInfoUpdate),
    defaultValues: { userId: user.id, licenseTypeId: now },
  });
  const { isDirty } = form.formState;
  useUnsavedGuard(isDirty && !update.isSuccess);
  const wanted = useWatch({ control: form.control, name: 'licenseTypeId' });
  const effect = useBillableEffect(wanted, now);

  const submit = async (body: { userId: number; licenseTypeId: number }) => {
    const agreed =
      body.licenseTypeId !== NO_LICENSE ||
      (await confirm({
        title: `Take the license from ${fullName(user)}?`,
        body: 'Without a license they cannot sign in. Sessions end at once; data and groups stay.',
        action: 'Take the license',
        danger: true,
      }));
    if (!agreed) return;
    try {
      await update.mutateAsync({ body });
    } catch {
      return;
    }
    // Not in `onSuccess` of the call: by then the new license has begun the form anew, and nobody would be told.
    toast({
      title: `${fullName(user)} has ${licenseType(body.licenseTypeId)?.description ?? 'another license'}`,
    });
  };

  return (
    <div className="user-card-form">
      <Form
        form={form}
        pending={update.isPending}
        error={useWords(update.error)}
        submit="Change license"
        disabledReason={reason ?? (isDirty ? undefined : 'Choose another license first')}
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
