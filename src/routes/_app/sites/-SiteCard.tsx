import { zodResolver } from '@hookform/resolvers/zod';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { ServiceError } from '../../../api/errors.ts';
import { getPlatformSite, updatePlatformSite } from '../../../api/generated/sdk.gen.ts';
import type { PlatformSite } from '../../../api/generated/types.gen.ts';
import { tagged } from '../../../api/tagged.ts';
import { useWrite } from '../../../api/write.ts';
import { useUnsavedGuard } from '../../../shell/unsaved.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { SwitchField } from '../../../ui/form/CheckField.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { siteSchema } from './-site-form.ts';
import type { SiteValues } from './-site-form.ts';
import { siteQuery } from './-site-query.ts';

const valuesOf = (site: PlatformSite): SiteValues => ({
  name: site.name,
  dedicatedDomain: site.dedicatedDomain ?? '',
  mayManageExistingUsers: site.mayManageExistingUsers,
  hasAgentServer: site.hasAgentServer,
});

/** Name, dedicated domain and licenses of a site. */
export function SiteCard({ siteId }: { siteId: number }) {
  const router = useRouter();
  const [base, setBase] = useState(useSuspenseQuery(siteQuery(siteId)).data);
  const [wasStale, setWasStale] = useState(false);
  const save = useWrite('updatePlatformSite', {
    mutationFn: ({ dedicatedDomain, ...values }: SiteValues) =>
      updatePlatformSite({
        path: { siteId },
        body: { ...values, dedicatedDomain: dedicatedDomain || null },
        ...(base.etag !== undefined && { headers: { 'If-Match': base.etag } }),
      }),
  });
  const form = useForm({ resolver: zodResolver(siteSchema), defaultValues: valuesOf(base.data) });
  const { isDirty, isSubmitting } = form.formState;
  useUnsavedGuard(isDirty);

  const submit = async (values: SiteValues) => {
    try {
      const stored = tagged(await save.mutateAsync(values));
      setBase(stored);
      setWasStale(false);
      form.reset(valuesOf(stored.data));
      toast({ title: `${stored.data.name} was saved` });
      await router.invalidate();
    } catch (thrown) {
      if (!(thrown instanceof ServiceError) || thrown.status !== 412) return;
      setBase(tagged(await getPlatformSite({ path: { siteId } })));
      setWasStale(true);
    }
  };

  return (
    <Card title="Site">
      <CardBody>
        <Form
          form={form}
          pending={isSubmitting}
          error={wasStale ? undefined : save.error}
          submit="Save"
          onSubmit={submit}
        >
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
