import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import type { SiteSettings } from '../../../../contract/generated/types.gen.ts';
import { useConditionalSave } from '../../../api/conditional-save.ts';
import { withEtag } from '../../../api/etag.ts';
import { updateSiteSettingsMutation } from '../../../api/generated/queries/settings.gen.ts';
import { getSiteSettings, updateSiteSettings } from '../../../api/generated/sdk/settings.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { ConflictBanner } from '../../../app/freshness/ConflictBanner.tsx';
import { toastUndoable } from '../../../app/state/undo.ts';
import { formatStorage } from '../../../lib/sizes.ts';
import { useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import { Form } from '../../../ui/form/Form.tsx';
import { SwitchField } from '../../../ui/form/SwitchField.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { TimeZoneField } from '../../../ui/form/TimeZoneField.tsx';
import { trackInput } from '../../../ui/form/track-input.ts';
import { Card, Fact, Facts } from '../../../ui/layout/Card.tsx';
import { settingsQuery } from '../model/settings-query.ts';
import { BackgroundWork } from './BackgroundWork.tsx';
import './settings.css';

const schema = z.object({
  name: z.string().trim().min(1, 'Enter a name').max(100, 'At most 100 characters'),
  timeZone: z.string(),
  requiresActingReason: z.boolean(),
});
type Values = z.infer<typeof schema>;

const toFormValues = ({ name, timeZone, requiresActingReason }: SiteSettings): Values => ({
  name,
  timeZone,
  requiresActingReason,
});

const IDENTITY_MODES = { password: 'Password', 'identity-manager': 'Identity manager' } as const;

/** Name, time zone and the rule of the site about acting, and the settings that only platform administrators may change. */
export function GeneralTab() {
  const [revision, setRevision] = useState(0);
  // After an undo the form starts over, with the stored values and their entity tag.
  return <GeneralSettings key={revision} onReverted={() => setRevision(revision + 1)} />;
}

function GeneralSettings({ onReverted }: { onReverted: () => void }) {
  const client = useQueryClient();
  const revert = useWrite('updateSiteSettings', updateSiteSettingsMutation());
  const { reason } = usePermission('updateSiteSettings');
  const { base, hasConflict, error, save } = useConditionalSave({
    initial: useSuspenseQuery(settingsQuery).data,
    operation: 'updateSiteSettings',
    write: (body: Values, match) => updateSiteSettings({ body, ...match }),
    read: () => getSiteSettings(),
  });
  const form = useForm({ resolver: zodResolver(schema), defaultValues: toFormValues(base) });
  const { isDirty, isSubmitting } = form.formState;
  useUnsavedGuard(isDirty);

  const submit = async (values: Values) => {
    const before = toFormValues(base);
    const takeStored = trackInput(form);
    const stored = await save(values);
    if (!stored) return;
    takeStored(toFormValues(stored));
    toastUndoable({
      title: 'Settings saved',
      subject: 'the settings',
      undone: 'The settings are as before',
      readVersion: async () => withEtag(await getSiteSettings()).etag,
      revert: async ({ headers }) => {
        await revert.mutateAsync({ body: before, ...(headers && { headers }) });
        await client.fetchQuery({ ...settingsQuery, staleTime: 0 });
        onReverted();
      },
    });
  };

  return (
    <div className="set-columns">
      <Card title="Site">
        <div className="card-body">
          <Form
            form={form}
            pending={isSubmitting}
            error={error}
            submitLabel="Save"
            disabledReason={reason}
            onSubmit={submit}
            keepsInput
          >
            {hasConflict && (
              <ConflictBanner action="site.update" subjectType="site" what="the settings">
                The name is now {base.name}, the time zone {base.timeZone}, and a reason for acting is{' '}
                {base.requiresActingReason ? 'required' : 'not required'}. Your changes are not saved yet.
                Saving again replaces the settings with yours.
              </ConflictBanner>
            )}
            <TextField control={form.control} name="name" label="Name" />
            <TimeZoneField
              control={form.control}
              name="timeZone"
              label="Time zone"
              current={base.timeZone}
              hint="Dates without a time start at midnight in this zone. Changing it changes how all dates appear."
            />
            <SwitchField
              control={form.control}
              name="requiresActingReason"
              label="Proxies must give a reason"
              hint="They enter it before they work as someone else in the console. It is in the mail to that person and in the report."
            />
          </Form>
        </div>
      </Card>
      <Card title="Set by platform administrators">
        <Facts>
          <Fact label="Short name">{base.slug}</Fact>
          <Fact label="Sign-in method">{IDENTITY_MODES[base.identityMode]}</Fact>
          <Fact label="Dedicated domain">{base.dedicatedDomain ?? 'None'}</Fact>
          <Fact label="Existing users">
            {base.mayManageExistingUsers
              ? 'Users of that domain may be added without their confirmation'
              : 'Users are added with their confirmation only'}
          </Fact>
          <Fact label="Storage for files">{formatStorage(base)}</Fact>
          <Fact label="Schema version">{base.schemaVersion}</Fact>
        </Facts>
      </Card>
      <BackgroundWork />
    </div>
  );
}
