import { zodResolver } from '@hookform/resolvers/zod';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useForm, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { getSiteIdentity, updateSiteIdentity } from '../../../api/generated/sdk.gen.ts';
import type { SiteIdentity, SiteIdentityInfo } from '../../../api/generated/types.gen.ts';
import { useStored } from '../../../api/stored.ts';
import { counted } from '../../../lib/numbers.ts';
import { useUnsavedGuard } from '../../../ui/form/unsaved.ts';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { Form } from '../../../ui/form/Form.tsx';
import { PasswordField } from '../../../ui/form/PasswordField.tsx';
import { SelectField } from '../../../ui/form/SelectField.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { identityQuery } from '../model/site-query.ts';

const MODES = [
  { value: 'password', label: 'Password' },
  { value: 'identity-manager', label: 'Identity manager', hint: 'OpenID Connect' },
];

/** How the site signs people in (spec 2.1). */
export function IdentityCard({ siteId }: { siteId: number }) {
  const path = { siteId };
  const { base, wasStale, error, store } = useStored({
    start: useSuspenseQuery(identityQuery(siteId)).data,
    operation: 'updateSiteIdentity',
    write: (values: IdentityValues, match) => updateSiteIdentity({ path, body: infoOf(values), ...match }),
    read: () => getSiteIdentity({ path }),
  });
  const form = useForm({ resolver: zodResolver(identitySchema), defaultValues: valuesOf(base) });
  const { isDirty, isSubmitting } = form.formState;
  useUnsavedGuard(isDirty);
  const mode = useWatch({ control: form.control, name: 'mode' });

  const { you, others } = base.runnersBeside;
  const locksOut = mode === 'identity-manager' && base.mode === 'password' && !you && others === 0;

  const submit = async (values: IdentityValues) => {
    if (values.mode !== base.mode && !(await agree(values.mode, base))) return;
    const stored = await store(values);
    if (!stored) return;
    form.reset(valuesOf(stored));
    toast({ title: 'The sign-in of the site was saved' });
  };

  return (
    <Card title="Sign-in">
      <CardBody>
        <Form
          form={form}
          pending={isSubmitting}
          error={error}
          submit="Save"
          onSubmit={submit}
          disabledReason={locksOut ? 'Nobody could run the platform any more' : undefined}
        >
          {wasStale && (
            <Banner tone="warn" title="Somebody else changed the sign-in while you were typing">
              Nothing of yours is saved yet; save again to put yours in its place.
            </Banner>
          )}
          <SelectField control={form.control} name="mode" label="People sign in by" options={MODES} />
          {locksOut && (
            <Banner tone="bad" title="You would lock yourself out">
              An identity manager opens the administration of the platform for nobody, and no one who runs it
              could sign in with a password or a passkey to another site. Make another site first, or let
              somebody run the platform who has one: “platform grant” on the host does that.
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
                hint="The service asks it for its description before this is saved."
              />
              <TextField control={form.control} name="clientId" label="Client id" />
              <PasswordField
                control={form.control}
                name="clientSecret"
                label="Client secret"
                autoComplete="new-password"
                hint={base.hasClientSecret ? 'One is stored. Empty keeps it.' : 'Empty for a public client.'}
              />
              <TextField
                control={form.control}
                name="claim"
                label="Claim with the federation id"
                hint={`${base.withFederationId} of ${base.members} active users have a federation id. Others are known by their verified e-mail the first time.`}
              />
              <p className="sites-redirect">
                Address to come back to, for the provider: <code>{base.redirectUrl}</code>
                <CopyButton value={base.redirectUrl} label="Copy address" />
              </p>
            </>
          )}
        </Form>
      </CardBody>
    </Card>
  );
}

const agree = (mode: IdentityValues['mode'], { members, runnersBeside }: SiteIdentity): Promise<boolean> =>
  confirm(
    mode === 'identity-manager'
      ? {
          title: 'Let the identity manager sign people in?',
          body: `Passwords no longer open this site for its ${members} active users, and neither do second factors of this platform. Passwords and federation ids given when users are created or changed have no effect. Whoever works now goes on until their session ends.${runnersBeside.you ? '' : ` You yourself can then no longer run the platform: ${counted(runnersBeside.others, 'other person', 'other people')} can.`} The command "site set --sign-in password" on the host is the way back.`,
          action: 'Use the identity manager',
          danger: true,
        }
      : {
          title: 'Let people sign in with passwords?',
          body: 'Whoever has never set a password asks for a link on the page for signing in. What is known of the identity manager is kept.',
          action: 'Use passwords',
          danger: true,
        },
  );

const identitySchema = z
  .object({
    mode: z.enum(['password', 'identity-manager']),
    issuer: z.string().trim().max(500),
    clientId: z.string().trim().max(200),
    clientSecret: z.string().max(500),
    claim: z.string().trim().min(1, 'Name the claim').max(64),
  })
  .superRefine(({ mode, issuer, clientId }, context) => {
    if (mode === 'password') return;
    if (issuer === '') context.addIssue({ code: 'custom', path: ['issuer'], message: 'Give the address' });
    if (clientId === '') context.addIssue({ code: 'custom', path: ['clientId'], message: 'Give the id' });
  });
type IdentityValues = z.infer<typeof identitySchema>;

const valuesOf = ({ mode, issuer, clientId, claim }: SiteIdentity): IdentityValues => ({
  mode,
  issuer: issuer ?? '',
  clientId: clientId ?? '',
  clientSecret: '',
  claim,
});

/** What is sent: a secret only where one was typed, so that the stored one stays. */
const infoOf = ({ clientSecret, issuer, clientId, ...rest }: IdentityValues): SiteIdentityInfo => ({
  ...rest,
  issuer: issuer || null,
  clientId: clientId || null,
  ...(clientSecret !== '' && { clientSecret }),
});
