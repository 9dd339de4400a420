import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { useForm, useWatch } from 'react-hook-form';
import type { Control } from 'react-hook-form';
import { licenseTypes } from '../../../../contract/rules/licenses.ts';
import { useAllowed, useSession } from '../../../api/session.ts';
import { useDirectory } from '../../../directory/directory.ts';
import { useUnsavedGuard } from '../../../shell/unsaved.ts';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { SwitchField } from '../../../ui/form/CheckField.tsx';
import { Form, FormRow } from '../../../ui/form/Form.tsx';
import { MultiSelectField } from '../../../ui/form/MultiSelectField.tsx';
import { PasswordField } from '../../../ui/form/PasswordField.tsx';
import { SelectField } from '../../../ui/form/SelectField.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { KnownElsewhere, useKnownElsewhere } from '../invitations/-KnownElsewhere.tsx';
import { useBillableEffect } from './-billable.ts';
import { useGroupOptions } from './-group-options.ts';
import { checkNewUser, EMPTY, STANDARD } from './-new-user-form.ts';
import type { NewUserValues } from './-new-user-form.ts';
import { useCreateUser } from './-use-create-user.ts';
import type { Taken } from './-use-create-user.ts';
import { useMounted } from './-use-mounted.ts';

const route = getRouteApi('/_app/users/_list/new');

/** Creates one user, over the list. */
export function NewUserPanel() {
  const router = useRouter();
  const { reason } = useAllowed('createUser');
  const mounted = useMounted();
  const { submit, error, taken } = useCreateUser(mounted);
  const { email: brought = '' } = route.useSearch();
  const form = useForm({ resolver: checkNewUser, defaultValues: { ...EMPTY, email: brought } });
  const { control, formState } = form;
  const pending = formState.isSubmitting;
  // Asked by the router for every way out: Cancel, the cross, Back, another page.
  useUnsavedGuard(formState.isDirty);
  const close = async () => {
    // The answer may come while the question stands, and lead to the new user.
    if (pending && (!(await mayGoOn()) || !mounted())) return;
    await router.navigate({ to: '/users', search: (now) => now, ignoreBlocker: pending });
  };
  const groups = useWatch({ control, name: 'groups' }) ?? [];
  const { options, gives } = useGroupOptions(useDirectory().groups, groups);
  const email = useWatch({ control, name: 'email' });
  const known = useKnownElsewhere(email);
  const waysIn = {
    check: known,
    groups,
    onDone: (userId: number | undefined) => {
      if (!mounted()) return;
      const there =
        userId === undefined
          ? ({ to: '/users' } as const)
          : ({ to: '/users/$userId', params: { userId } } as const);
      void router.navigate({ ...there, ignoreBlocker: true });
    },
  };

  return (
    <Panel title="New user" onClose={() => void close()}>
      <Form
        form={form}
        pending={pending}
        error={error}
        submit="Create user"
        disabledReason={reason}
        onCancel={() => void close()}
        onSubmit={async (values) => {
          const userId = await submit(values);
          if (userId !== undefined && mounted())
            await router.navigate({ to: '/users/$userId', params: { userId }, ignoreBlocker: true });
        }}
      >
        <FormRow>
          {/* The panel was opened to type. */}
          {/* oxlint-disable-next-line jsx-a11y/no-autofocus */}
          <TextField control={control} name="firstName" label="First name" autoFocus />
          <TextField control={control} name="lastName" label="Last name" />
        </FormRow>
        <TextField
          control={control}
          name="email"
          label="E-mail"
          type="email"
          hint={
            known && (
              <>
                {known.outcome === 'invited' ? '' : known.message}{' '}
                <WaysIn taken={{ email, userId: known.userId ?? undefined }} ways={waysIn} />
              </>
            )
          }
          errorHelp={taken && <WaysIn taken={taken} ways={waysIn} />}
        />
        <SignIn control={control} />
        <MultiSelectField
          control={control}
          name="groups"
          label="Groups"
          placeholder="Choose groups"
          options={options}
          hint={gives ?? 'Groups give capabilities. More can be added later.'}
        />
        <License control={control} />
        <SwitchField control={control} name="isActive" label="Active" hint="Can sign in at once." />
        <SwitchField
          control={control}
          name="twoFactorEnabled"
          label="Two-factor authentication"
          hint="They set up a second factor at their first sign-in. Once created so, it cannot be turned off."
        />
        <SwitchField
          control={control}
          name="ipRestrictionsEnabled"
          label="Only from approved addresses"
          hint="Signs in only from the addresses this site approves. Once created so, it cannot be turned off."
        />
      </Form>
    </Panel>
  );
}

// A call that was sent cannot be taken back: closing must not look as if it were.
const mayGoOn = (): Promise<boolean> =>
  confirm({
    title: 'Close while the user is being created?',
    body: 'The request was sent and cannot be taken back. What came of it is told as soon as the answer is there.',
    action: 'Close',
    cancel: 'Wait',
  });

interface Fields {
  control: Control<NewUserValues, unknown, NewUserValues>;
}

/** Password and federation id; on a site with an identity manager they have no effect (spec 2.1). */
function SignIn({ control }: Fields) {
  const { site } = useSession();
  const without =
    site.identityMode === 'identity-manager'
      ? 'Without effect: an identity manager signs people in to this site.'
      : undefined;
  return (
    <>
      <PasswordField
        control={control}
        name="password"
        label="Password"
        placeholder={without ? '' : 'Leave empty to send a link'}
        hint="Left empty, an e-mail with a link to set one is sent; it holds for 24 hours."
        autoComplete="new-password"
        disabledReason={without}
      />
      <TextField
        control={control}
        name="federationId"
        label="Federation id"
        optional
        hint="How an identity provider knows them."
        disabledReason={without}
      />
    </>
  );
}

function License({ control }: Fields) {
  const { reason } = useAllowed('updateUserLicense');
  const effect = useBillableEffect(useWatch({ control, name: 'licenseTypeId' }));
  const options = licenseTypes.map(({ licenseTypeId, description, isBillable }) => ({
    value: licenseTypeId,
    label: description,
    hint: isBillable ? 'Billable' : 'Not billable',
    disabledReason: licenseTypeId === STANDARD ? undefined : reason,
  }));
  return (
    <SelectField control={control} name="licenseTypeId" label="License" options={options} hint={effect} />
  );
}

type Ways = Omit<Parameters<typeof KnownElsewhere>[0], 'email'>;

/** Where to go with an address that cannot be created: to its user, or to the two other ways in. */
function WaysIn({ taken: { email, userId }, ways }: { taken: Omit<Taken, 'failure'>; ways: Ways }) {
  if (userId === undefined) return <KnownElsewhere {...ways} email={email} />;
  return (
    <Link to="/users/$userId" params={{ userId }}>
      Go to them
    </Link>
  );
}
