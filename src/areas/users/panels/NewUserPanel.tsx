import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { useForm, useWatch } from 'react-hook-form';
import type { Control, Resolver } from 'react-hook-form';
import { useState } from 'react';
import { zodResolver } from '@hookform/resolvers/zod';
import { licenseTypes } from '../../../../contract/rules/licenses.ts';
import { useAllowed, useSession } from '../../../api/session.ts';
import { useDirectory, findPeople } from '../../../directory/directory.ts';
import { useUnsavedGuard } from '../../../ui/form/unsaved.ts';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { SwitchField } from '../../../ui/form/CheckField.tsx';
import { Form, FormRow } from '../../../ui/form/Form.tsx';
import { MultiSelectField } from '../../../ui/form/MultiSelectField.tsx';
import { PasswordField } from '../../../ui/form/PasswordField.tsx';
import { SelectField } from '../../../ui/form/SelectField.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { KnownElsewhere, useKnownElsewhere } from '../../invitations/pages/KnownElsewhere.tsx';
import { useBillableEffect } from '../model/billable.ts';
import { useGroupOptions } from '../../groups/model/group-options.ts';
import { useMounted } from '../pages/use-mounted.ts';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import {
  createUserMutation,
  updateUserLicenseMutation,
} from '../../../api/generated/@tanstack/react-query.gen.ts';
import { searchUsers } from '../../../api/generated/sdk.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import type { Failure } from '../../../ui/feedback/failure.ts';
import { handOver } from '../model/hand-over.ts';
import { fullName } from '../model/user-query.ts';
import type { NewUserInfo } from '../../../api/generated/types.gen.ts';
import { zLicenseTypeId, zNewUserInfo } from '../../../api/generated/zod.gen.ts';

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

/** Why an address cannot be used: a user of this site has it, or somebody known on another site. */
interface Taken {
  email: string;
  userId: number | undefined;
  failure: Failure;
}

function takenBy(email: string, userId: number | undefined): Taken {
  const message = userId === undefined ? 'Known on another site.' : 'Is already a user of this site.';
  return { email, userId, failure: { message, fields: [{ path: 'email', message }] } };
}

/**
 * Creates a user, then gives the license: two calls, and where only the first one worked it says so. Where the
 * form is gone (`watched` says no), a failure is told in a toast.
 */
function useCreateUser(watched: () => boolean) {
  const { site } = useSession();
  const create = useWrite('createUser', createUserMutation());
  const license = useWrite('updateUserLicense', updateUserLicenseMutation());
  const [taken, setTaken] = useState<Taken>();
  const [unsure, setUnsure] = useState<ServiceError>();

  const giveLicense = async (userId: number, licenseTypeId: number, name: string) => {
    if (licenseTypeId === STANDARD) return;
    try {
      await license.mutateAsync({ body: { userId, licenseTypeId } });
    } catch (thrown) {
      const why = thrown instanceof ServiceError ? thrown.message : 'The reason is not known';
      toast({
        title: `${name} was created, but has the Standard license`,
        description: `${why}. Change it under License.`,
        tone: 'bad',
      });
    }
  };

  const tellTaken = async (email: string, refusal: ServiceError) => {
    try {
      setTaken(await whoHas(email));
    } catch {
      setUnsure(refusal);
    }
  };

  /** The id of the new user; undefined where nobody was created, for a reason that the hook tells. */
  const submit = async ({ licenseTypeId, ...body }: NewUserValues): Promise<number | undefined> => {
    const wanted = body.email.trim().toLowerCase();
    const [here] = await findPeople(`email:"${wanted}"`, 1);
    setUnsure(undefined);
    setTaken(here && takenBy(body.email, here.id));
    if (here) return undefined;
    try {
      const userId = await create.mutateAsync({ body });
      const name = fullName(body);
      await giveLicense(userId, licenseTypeId, name);
      const byPassword = body.password === undefined ? 'mailed' : 'password';
      const entry = site.identityMode === 'password' ? byPassword : 'identity-manager';
      handOver.set({ userId, name, email: body.email, entry, isActive: body.isActive ?? true });
      toast({ title: `${name} was created` });
      return userId;
    } catch (thrown) {
      if (!watched()) tellFailure(fullName(body), thrown);
      else if (isTaken(thrown)) await tellTaken(body.email, thrown);
      return undefined;
    }
  };

  const refused = isTaken(create.error) ? unsure : create.error;
  return { submit, error: taken?.failure ?? refused, taken };
}

const isTaken = (thrown: unknown): thrown is ServiceError =>
  thrown instanceof ServiceError && thrown.status === 409;

function tellFailure(name: string, thrown: unknown): void {
  toast({ title: `${name} was not created`, description: toServiceError(thrown).message, tone: 'bad' });
}

// The refusal is the same for both; the list of this site tells them apart.
async function whoHas(email: string): Promise<Taken> {
  const { data } = await searchUsers({ query: { email } });
  return takenBy(email, data[0]?.id);
}

/** What the panel asks for: the new user, and the license that a second call gives. */
type NewUserValues = NewUserInfo & { licenseTypeId: number };

const STANDARD = 1;

const EMPTY: NewUserValues = {
  firstName: '',
  lastName: '',
  email: '',
  password: '',
  federationId: '',
  groups: [],
  isActive: true,
  twoFactorEnabled: false,
  ipRestrictionsEnabled: false,
  licenseTypeId: STANDARD,
};

const check = zodResolver(zNewUserInfo.extend({ licenseTypeId: zLicenseTypeId }));

/** By the rules of the contract; what was left empty is left out. */
const checkNewUser: Resolver<NewUserValues, unknown, NewUserValues> = async (values, context, options) => {
  const { password = '', federationId = '', groups = [], ...rest } = values;
  const given = {
    ...rest,
    ...(password !== '' && { password }),
    ...(federationId !== '' && { federationId }),
    ...(groups.length > 0 && { groups }),
  };
  return check(given, context, options);
};
