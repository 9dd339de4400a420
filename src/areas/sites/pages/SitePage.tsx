import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { counted } from '../../../lib/numbers.ts';
import { Trail } from '../../../ui/layout/Trail.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { IdentityCard } from './IdentityCard.tsx';
import { siteQuery } from '../model/site-query.ts';
import { getPlatformSite, updatePlatformSite } from '../../../api/generated/sdk.gen.ts';
import type { PlatformSite } from '../../../api/generated/types.gen.ts';
import { useStored } from '../../../api/stored.ts';
import { useUnsavedGuard } from '../../../ui/form/unsaved.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { SwitchField } from '../../../ui/form/CheckField.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { siteSchema } from '../model/site-form.ts';
import type { SiteValues } from '../model/site-form.ts';
import './sites.css';

const route = getRouteApi('/_app/sites/$siteId');

/** One site: what only those who run the platform set. */
export function SitePage() {
  const { siteId } = route.useParams();
  const { data } = useSuspenseQuery(siteQuery(siteId)).data;
  return (
    <Page
      breadcrumbs={<Trail />}
      title={data.name}
      meta={`${data.slug}, ${counted(data.members, 'active user', 'active users')}, ${counted(data.administrators, 'administrator', 'administrators')}`}
    >
      <div className="sites-cards">
        <SiteCard siteId={siteId} />
        <IdentityCard siteId={siteId} />
      </div>
    </Page>
  );
}

const valuesOf = (site: PlatformSite): SiteValues => ({
  name: site.name,
  dedicatedDomain: site.dedicatedDomain ?? '',
  mayManageExistingUsers: site.mayManageExistingUsers,
  hasAgentServer: site.hasAgentServer,
});

/** Name, dedicated domain and licenses of a site. */
function SiteCard({ siteId }: { siteId: number }) {
  const router = useRouter();
  const path = { siteId };
  const { base, wasStale, error, store } = useStored({
    start: useSuspenseQuery(siteQuery(siteId)).data,
    operation: 'updatePlatformSite',
    write: ({ dedicatedDomain, ...values }: SiteValues, match) =>
      updatePlatformSite({ path, body: { ...values, dedicatedDomain: dedicatedDomain || null }, ...match }),
    read: () => getPlatformSite({ path }),
  });
  const form = useForm({ resolver: zodResolver(siteSchema), defaultValues: valuesOf(base) });
  const { isDirty, isSubmitting } = form.formState;
  useUnsavedGuard(isDirty);

  const submit = async (values: SiteValues) => {
    const stored = await store(values);
    if (!stored) return;
    form.reset(valuesOf(stored));
    toast({ title: `${stored.name} was saved` });
    await router.invalidate();
  };

  return (
    <Card title="Site">
      <CardBody>
        <Form form={form} pending={isSubmitting} error={error} submit="Save" onSubmit={submit}>
          {wasStale && (
            <Banner tone="warn" title="Somebody else changed this site while you were typing">
              Nothing of yours is saved yet; save again to put yours in its place.
            </Banner>
          )}
          <TextField control={form.control} name="name" label="Name" />
          <TextField
            control={form.control}
            name="dedicatedDomain"
            label="Dedicated domain"
            optional
            hint="The e-mail domain of the client. Its people, of exactly this domain, may be added without their confirmation."
          />
          <SwitchField
            control={form.control}
            name="mayManageExistingUsers"
            label="May add existing users without their confirmation"
            hint="Those of the dedicated domain, by administrators with the capability Manage Existing Users."
          />
          <SwitchField
            control={form.control}
            name="hasAgentServer"
            label="License of the agent server"
            hint="The agent server itself is not built yet."
          />
        </Form>
      </CardBody>
    </Card>
  );
}
