import { zodResolver } from '@hookform/resolvers/zod';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { getSiteSettings, updateSiteSettings } from '../../../api/generated/sdk.gen.ts';
import type { SiteSettings } from '../../../api/generated/types.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import { useStored } from '../../../api/stored.ts';
import { useUnsavedGuard } from '../../../ui/form/unsaved.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { Form } from '../../../ui/form/Form.tsx';
import { SelectField } from '../../../ui/form/SelectField.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Fact, Facts } from '../../../ui/layout/Facts.tsx';
import { settingsQuery } from '../model/settings-query.ts';
import './settings.css';

const schema = z.object({
  name: z.string().trim().min(1, 'Give the site a name').max(100, 'At most 100 characters'),
  timeZone: z.string(),
});
type Values = z.infer<typeof schema>;

const valuesOf = ({ name, timeZone }: SiteSettings): Values => ({ name, timeZone });

/** The zones this browser knows, with the one that is set although the browser may not know it. */
const zoneOptions = (current: string) =>
  [...new Set(['UTC', current, ...Intl.supportedValuesOf('timeZone')])].map((value) => ({
    value,
    label: value.replaceAll('_', ' '),
  }));

const IDENTITY = { password: 'Password', 'identity-manager': 'Identity manager' } as const;

/** Name and time zone of the site, and what only the people who run the platform may set. */
export function GeneralTab() {
  const { reason } = useAllowed('updateSiteSettings');
  const { base, wasStale, error, store } = useStored({
    start: useSuspenseQuery(settingsQuery).data,
    operation: 'updateSiteSettings',
    write: (body: Values, match) => updateSiteSettings({ body, ...match }),
    read: () => getSiteSettings(),
  });
  const form = useForm({ resolver: zodResolver(schema), defaultValues: valuesOf(base) });
  const { isDirty, isSubmitting } = form.formState;
  useUnsavedGuard(isDirty);

  const submit = async (values: Values) => {
    const stored = await store(values);
    if (!stored) return;
    form.reset(valuesOf(stored));
    toast({ title: 'The settings were saved' });
  };

  return (
    <div className="set-columns">
      <Card title="Site">
        <div className="card-body">
          <Form
            form={form}
            pending={isSubmitting}
            error={error}
            submit="Save"
            disabledReason={reason}
            onSubmit={submit}
          >
            {wasStale && (
              <Banner tone="warn" title="Somebody else changed the settings while you were typing">
                They are called {base.name} and in {base.timeZone} now. Nothing of yours is saved yet; save
                again to put yours in their place.
              </Banner>
            )}
            <TextField control={form.control} name="name" label="Name" />
            <SelectField
              control={form.control}
              name="timeZone"
              label="Time zone"
              options={zoneOptions(base.timeZone)}
              hint="Days without a time begin at midnight here. A change shows the dates of all entries anew."
            />
          </Form>
        </div>
      </Card>
      <Card title="Set by the people who run the platform">
        <Facts>
          <Fact label="Short name">{base.slug}</Fact>
          <Fact label="Sign-in by">{IDENTITY[base.identityMode]}</Fact>
          <Fact label="Dedicated domain">{base.dedicatedDomain ?? 'None'}</Fact>
          <Fact label="Existing users">
            {base.mayManageExistingUsers
              ? 'People of that domain may be added without their confirmation'
              : 'Nobody is added without their confirmation'}
          </Fact>
          <Fact label="Schema version">{base.schemaVersion}</Fact>
        </Facts>
      </Card>
    </div>
  );
}
