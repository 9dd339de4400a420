import { zodResolver } from '@hookform/resolvers/zod';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useForm, useWatch } from 'react-hook-form';
import { z } from 'zod';
import type { SiteIdentity, SiteIdentityInfo } from '../../../../contract/generated/types.gen.ts';
import { useConditionalSave } from '../../../api/conditional-save.ts';
import { getSiteIdentity, updateSiteIdentity } from '../../../api/generated/sdk/platform.gen.ts';
import { ConflictBanner } from '../../../app/freshness/ConflictBanner.tsx';
import { pluralize } from '../../../lib/numbers.ts';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { PasswordField } from '../../../ui/form/PasswordField.tsx';
import { SelectField } from '../../../ui/form/select/SelectField.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { trackInput } from '../../../ui/form/track-input.ts';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { toast } from '../../../ui/toast.ts';
import { identityQuery } from '../model/site-query.ts';

const MODES = [
  { value: 'password', label: 'Password' },
  { value: 'identity-manager', label: 'Identity manager', hint: 'OpenID Connect' },
];

/** Sign-in method of a site: password or identity manager (spec 2.1). */
export function IdentityCard({ siteId }: { siteId: number }) {
  const path = { siteId };
  const { base, hasConflict, error, save } = useConditionalSave({
    initial: useSuspenseQuery(identityQuery(siteId)).data,
    operation: 'updateSiteIdentity',
    write: (values: IdentityValues, match) =>
      updateSiteIdentity({ path, body: toIdentityInfo(values), ...match }),
    read: () => getSiteIdentity({ path }),
  });
  const form = useForm({ resolver: zodResolver(identitySchema), defaultValues: toFormValues(base) });
  const { isDirty, isSubmitting } = form.formState;
  useUnsavedGuard(isDirty);
  const mode = useWatch({ control: form.control, name: 'mode' });

  const { you, others } = base.runnersBeside;
  const wouldLockOut = mode === 'identity-manager' && base.mode === 'password' && !you && others === 0;

  const submit = async (values: IdentityValues) => {
    const takeStored = trackInput(form);
    if (values.mode !== base.mode && !(await confirmModeChange(values.mode, base))) return;
    if (changesIds(values, base) && !(await confirmIdChange())) return;
    const stored = await save(values);
    if (!stored) return;
    takeStored(toFormValues(stored));
    toast({ title: 'Sign-in settings saved' });
  };

  return (
    <Card title="Sign-in">
      <CardBody>
        <Form
          form={form}
          pending={isSubmitting}
          error={error}
          submitLabel="Save"
          onSubmit={submit}
          keepsInput
          disabledReason={wouldLockOut ? 'No one could administer the platform anymore' : undefined}
        >
          {hasConflict && (
            <ConflictBanner
              action="site.identity"
              subjectType="site"
              subjectId={siteId}
              what="the sign-in settings"
            >
              Your changes are not saved yet. Saving again replaces the settings with yours.
            </ConflictBanner>
          )}
          <SelectField control={form.control} name="mode" label="Sign-in method" options={MODES} />
          {wouldLockOut && (
            <Banner tone="bad" title="You would lock yourself out">
              Users who sign in through an identity manager cannot administer the platform, and no platform
              administrator could sign in to another site with a password or passkey. Create another site
              first, or run “platform grant” on the host for a user of another site.
            </Banner>
          )}
          {mode === 'identity-manager' && (
            <>
              <TextField
                control={form.control}
                name="issuer"
                label="Issuer"
                type="url"
                placeholder="https://login.example.com"
                hint="The service loads its configuration before saving."
              />
              <TextField control={form.control} name="clientId" label="Client id" />
              <PasswordField
                control={form.control}
                name="clientSecret"
                label="Client secret"
                autoComplete="new-password"
                hint={
                  base.hasClientSecret
                    ? 'A secret is stored. Leave empty to keep it.'
                    : 'Leave empty for a public client.'
                }
              />
              <TextField
                control={form.control}
                name="claim"
                label="Claim with the federation id"
                hint={`${base.withFederationId} of ${base.members} active users have a federation id. Others are matched by their verified e-mail the first time.`}
              />
              <p className="sites-redirect">
                Redirect URI for the provider: <code>{base.redirectUrl}</code>
                <CopyButton value={base.redirectUrl} label="Copy redirect URI" />
              </p>
            </>
          )}
        </Form>
      </CardBody>
    </Card>
  );
}

const confirmModeChange = (
  mode: IdentityValues['mode'],
  { members, runnersBeside }: SiteIdentity,
): Promise<boolean> =>
  confirm(
    mode === 'identity-manager'
      ? {
          title: 'Let the identity manager sign people in?',
          body: `The ${members} active users of this site can no longer sign in with a password or a second factor of this platform. Passwords and federation ids set for users have no effect. Open sessions continue until they end.${runnersBeside.you ? '' : ` You will no longer be able to administer the platform; ${pluralize(runnersBeside.others, 'other person', 'other people')} can.`} To undo this, run "site set --sign-in password" on the host.`,
          action: 'Use identity manager',
          danger: true,
        }
      : {
          title: 'Let people sign in with passwords?',
          body: 'Users without a password can request a link on the sign-in page. The settings of the identity manager are kept.',
          action: 'Use passwords',
          danger: true,
        },
  );

/** Federation ids come from one provider and one claim. @returns whether users keep those of others */
const changesIds = (
  { mode, issuer, claim }: IdentityValues,
  { issuer: oldIssuer, claim: oldClaim, withFederationId }: SiteIdentity,
): boolean =>
  mode === 'identity-manager' &&
  oldIssuer !== null &&
  withFederationId > 0 &&
  (issuer !== oldIssuer || claim !== oldClaim);

const confirmIdChange = (): Promise<boolean> =>
  confirm({
    title: 'Keep the federation ids of users?',
    body: 'Users of this site keep their federation ids. Whoever has one of them at the new issuer or in the new claim signs in as that user. Continue only if the ids stay the same. Otherwise let people sign in with passwords first, and clear their ids.',
    action: 'Keep ids and save',
    danger: true,
  });

const identitySchema = z
  .object({
    mode: z.enum(['password', 'identity-manager']),
    issuer: z.string().trim().max(500),
    clientId: z.string().trim().max(200),
    clientSecret: z.string().max(500),
    claim: z.string().trim().min(1, 'Enter the claim').max(64),
  })
  .superRefine(({ mode, issuer, clientId }, context) => {
    if (mode === 'password') return;
    if (issuer === '') context.addIssue({ code: 'custom', path: ['issuer'], message: 'Enter the issuer' });
    if (clientId === '')
      context.addIssue({ code: 'custom', path: ['clientId'], message: 'Enter the client id' });
  });
type IdentityValues = z.infer<typeof identitySchema>;

const toFormValues = ({ mode, issuer, clientId, claim }: SiteIdentity): IdentityValues => ({
  mode,
  issuer: issuer ?? '',
  clientId: clientId ?? '',
  clientSecret: '',
  claim,
});

/** Request body. An empty secret is omitted, so that the stored one is kept. */
const toIdentityInfo = ({ clientSecret, issuer, clientId, ...rest }: IdentityValues): SiteIdentityInfo => ({
  ...rest,
  issuer: issuer || null,
  clientId: clientId || null,
  ...(clientSecret !== '' && { clientSecret }),
});
