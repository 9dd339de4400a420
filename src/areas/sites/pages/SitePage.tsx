import { zodResolver } from '@hookform/resolvers/zod';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { useForm } from 'react-hook-form';
import type { PlatformSite } from '../../../../contract/generated/types.gen.ts';
import { useConditionalSave } from '../../../api/conditional-save.ts';
import { getPlatformSite, updatePlatformSite } from '../../../api/generated/sdk/platform.gen.ts';
import { useSession } from '../../../api/session.ts';
import { ConflictBanner } from '../../../app/freshness/ConflictBanner.tsx';
import { pluralize } from '../../../lib/numbers.ts';
import { formatStorage } from '../../../lib/sizes.ts';
import { useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import { Form } from '../../../ui/form/Form.tsx';
import { SwitchField } from '../../../ui/form/SwitchField.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { trackInput } from '../../../ui/form/track-input.ts';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { toast } from '../../../ui/toast.ts';
import { formatQuota, parseQuota, siteSchema } from '../model/site-form.ts';
import type { SiteValues } from '../model/site-form.ts';
import { siteQuery } from '../model/site-query.ts';
import { IdentityCard } from './IdentityCard.tsx';
import { Administrators } from './SitesPage.tsx';
import './sites.css';

const route = getRouteApi('/_app/sites/$siteId');

/** Settings of a site that only platform administrators may change. */
export function SitePage() {
  const { siteId } = route.useParams();
  const { data } = useSuspenseQuery(siteQuery(siteId)).data;
  const { site } = useSession();
  const members = pluralize(data.members, 'active user', 'active users');
  return (
    <Page
      breadcrumbs={<Breadcrumbs />}
      title={data.name}
      meta={
        <span className="sites-meta">
          {data.slug}, {/* Users of another site are listed there only. */}
          {site.id === siteId ? (
            <Link to="/users" search={{ status: 'active' }}>
              {members}
            </Link>
          ) : (
            members
          )}
          , <Administrators siteId={siteId} count={data.administrators} />
        </span>
      }
    >
      <div className="sites-cards">
        <SiteCard siteId={siteId} />
        <IdentityCard siteId={siteId} />
      </div>
    </Page>
  );
}

const toFormValues = (site: PlatformSite): SiteValues => ({
  name: site.name,
  dedicatedDomain: site.dedicatedDomain ?? '',
  mayManageExistingUsers: site.mayManageExistingUsers,
  hasAgentServer: site.hasAgentServer,
  storageQuota: formatQuota(site.storageQuotaBytes),
});

/** Name, dedicated domain, storage and licenses of a site. */
function SiteCard({ siteId }: { siteId: number }) {
  const router = useRouter();
  const path = { siteId };
  const { base, hasConflict, error, save } = useConditionalSave({
    initial: useSuspenseQuery(siteQuery(siteId)).data,
    operation: 'updatePlatformSite',
    write: ({ dedicatedDomain, storageQuota, ...values }: SiteValues, match) =>
      updatePlatformSite({
        path,
        body: {
          ...values,
          dedicatedDomain: dedicatedDomain || null,
          storageQuotaBytes: parseQuota(storageQuota),
        },
        ...match,
      }),
    read: () => getPlatformSite({ path }),
  });
  const form = useForm({ resolver: zodResolver(siteSchema), defaultValues: toFormValues(base) });
  const { isDirty, isSubmitting } = form.formState;
  useUnsavedGuard(isDirty);

  const submit = async (values: SiteValues) => {
    const takeStored = trackInput(form);
    const stored = await save(values);
    if (!stored) return;
    takeStored(toFormValues(stored));
    toast({ title: `${stored.name} was saved` });
    await router.invalidate();
  };

  return (
    <Card title="Site">
      <CardBody>
        <Form
          form={form}
          pending={isSubmitting}
          error={error}
          submitLabel="Save"
          onSubmit={submit}
          keepsInput
        >
          {hasConflict && (
            <ConflictBanner action="site.update" subjectType="site" subjectId={siteId} what="this site">
              Your changes are not saved yet. Saving again replaces the settings with yours.
            </ConflictBanner>
          )}
          <TextField control={form.control} name="name" label="Name" />
          <TextField
            control={form.control}
            name="dedicatedDomain"
            label="Dedicated domain"
            optional
            hint="E-mail domain of the client. Users with exactly this domain may be added without their confirmation."
          />
          <SwitchField
            control={form.control}
            name="mayManageExistingUsers"
            label="May add existing users without their confirmation"
            hint="Applies to users of the dedicated domain and requires the capability Manage Existing Users."
          />
          <TextField
            control={form.control}
            name="storageQuota"
            label="Storage for files in GB"
            inputMode="decimal"
            optional
            hint={`Used: ${formatStorage(base)}. Empty for the default of the host. Files of the history count; a site over its limit keeps its files and stores no further ones.`}
          />
          <SwitchField
            control={form.control}
            name="hasAgentServer"
            label="Agent server license"
            hint="AI agents with a key may read the site. Without the license, every call is refused immediately; keys are kept."
          />
        </Form>
      </CardBody>
    </Card>
  );
}
