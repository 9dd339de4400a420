import { zodResolver } from '@hookform/resolvers/zod';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useForm, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { updateBackupSettingsMutation } from '../../../api/generated/queries/backups.gen.ts';
import { getBackupSettings } from '../../../api/generated/sdk/backups.gen.ts';
import { usePermission, useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { toastUndoable } from '../../../app/state/undo.ts';
import { getBrowserTimeZone } from '../../../lib/dates/time-zones.ts';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import { Form, FormRow } from '../../../ui/form/Form.tsx';
import { SelectField } from '../../../ui/form/select/SelectField.tsx';
import { SwitchField } from '../../../ui/form/SwitchField.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { formatScheduleTime, buildHourOptions } from '../model/schedule-format.ts';

const route = getRouteApi('/_app/backups/_list/schedule');
const MAX_KEEP_DAYS = 3650;
const DAYS_MESSAGE = `Enter a whole number of days between 1 and ${MAX_KEEP_DAYS}`;

const schema = z.object({
  isDaily: z.boolean(),
  hour: z.number(),
  keepDays: z
    .string()
    .trim()
    .regex(/^\d+$/, DAYS_MESSAGE)
    .refine((text) => Number(text) >= 1 && Number(text) <= MAX_KEEP_DAYS, DAYS_MESSAGE),
  includeFiles: z.boolean(),
  verify: z.boolean(),
});

type Values = z.infer<typeof schema>;

/** Panel for the schedule of backups: time, retention and verification. */
export function SchedulePanel() {
  const router = useRouter();
  const { timeZone } = useSession().site;
  const { reason } = usePermission('updateBackupSettings');
  const settings = route.useLoaderData();
  const save = useWrite('updateBackupSettings', updateBackupSettingsMutation());
  const form = useForm({
    resolver: zodResolver(schema),
    defaultValues: { ...settings, keepDays: String(settings.keepDays) },
  });
  const { control, formState } = form;
  const isDaily = useWatch({ control, name: 'isDaily' });
  const hour = useWatch({ control, name: 'hour' });
  useUnsavedGuard(formState.isDirty);
  const close = (saved = false) =>
    router.navigate({ to: '/backups', search: (now) => now, ignoreBlocker: saved });

  const submit = async (values: Values) => {
    const body = { ...values, keepDays: Number(values.keepDays) };
    const saved = await save.mutateAsync({ body }).catch(() => undefined);
    if (!saved) return;
    toastUndoable({
      title: saved.isDaily
        ? `Schedule saved: every day at ${formatScheduleTime(saved.hour, timeZone, getBrowserTimeZone())}`
        : 'Schedule turned off',
      subject: 'the backup schedule',
      undone: 'The backup schedule is as before',
      // The settings have no entity tag: their text tells whether someone else has changed them.
      readVersion: async () => JSON.stringify((await getBackupSettings()).data),
      revert: () => save.mutateAsync({ body: settings }),
    });
    await close(true);
  };

  return (
    <Panel title="Backup schedule" onClose={() => void close()}>
      <Form
        form={form}
        pending={formState.isSubmitting}
        error={save.error}
        submitLabel="Save schedule"
        disabledReason={reason}
        onCancel={() => void close()}
        onSubmit={submit}
      >
        <SwitchField
          control={control}
          name="isDaily"
          label="Create a backup every day"
          hint="Covers the whole site. If off, backups are created on request only."
        />
        <FormRow>
          <SelectField
            control={control}
            name="hour"
            label="Hour"
            options={buildHourOptions(timeZone, getBrowserTimeZone())}
            hint={
              isDaily
                ? formatScheduleTime(hour, timeZone, getBrowserTimeZone())
                : 'Applies once the schedule is turned on'
            }
          />
          <TextField
            control={control}
            name="keepDays"
            label="Days to keep"
            inputMode="numeric"
            hint="Older scheduled backups are deleted; the newest one that is ready is always kept."
          />
        </FormRow>
        <SwitchField
          control={control}
          name="includeFiles"
          label="Include files of entries"
          hint="Makes backups larger and slower."
        />
        <SwitchField
          control={control}
          name="verify"
          label="Verify the newest backup"
          hint="Test-restored and compared, so that a damaged backup is noticed the same day."
        />
      </Form>
    </Panel>
  );
}
