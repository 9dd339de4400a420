import { zodResolver } from '@hookform/resolvers/zod';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import type { Control, Resolver } from 'react-hook-form';
import type { NewUserInfo } from '../../../../contract/generated/types.gen.ts';
import { licenseTypes } from '../../../../contract/rules/people/licenses.ts';
import { ServiceError, UnknownOutcomeError } from '../../../api/errors.ts';
import { updateUserLicenseMutation } from '../../../api/generated/queries/licenses.gen.ts';
import { createUserMutation } from '../../../api/generated/queries/users.gen.ts';
import { searchUsers } from '../../../api/generated/sdk/users.gen.ts';
import { zLicenseTypeId, zNewUserInfo } from '../../../api/generated/zod.gen.ts';
import { usePermission, useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { toastFailedWrite } from '../../../app/state/failed-write.ts';
import { useDirectory, findPeople } from '../../../directory/directory.ts';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import type { Failure } from '../../../ui/feedback/failure.ts';
import { Form, FormRow } from '../../../ui/form/Form.tsx';
import { PasswordField } from '../../../ui/form/PasswordField.tsx';
import { MultiSelectField } from '../../../ui/form/select/MultiSelectField.tsx';
import { SelectField } from '../../../ui/form/select/SelectField.tsx';
import { SwitchField } from '../../../ui/form/SwitchField.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { TimeZoneField } from '../../../ui/form/TimeZoneField.tsx';
import { toast } from '../../../ui/toast.ts';
import { useGroupOptions } from '../../groups/index.ts';
import { KnownElsewhere, useKnownElsewhere } from '../../invitations/index.ts';
import { useBillableEffect } from '../model/billable.ts';
import { createdUser } from '../model/created-user.ts';
import { useMounted } from '../model/use-mounted.ts';
import { formatFullName } from '../model/user-query.ts';

const route = getRouteApi('/_app/users/_list/new');

/** Panel over the list that creates a user. */
export function NewUserPanel() {
  const router = useRouter();
  const { reason } = usePermission('createUser');
  const { site } = useSession();
  const mounted = useMounted();
  const { submit, error, taken } = useCreateUser(mounted);
  const { email: brought = '' } = route.useSearch();
  const form = useForm({ resolver: newUserResolver, defaultValues: { ...EMPTY, email: brought } });
  const { control, formState } = form;
  const pending = formState.isSubmitting;
  // Blocks every navigation: Cancel, close button, Back, another page.
  useUnsavedGuard(formState.isDirty);
  const close = async () => {
    // The answer may arrive during the confirmation and open the new user.
    if (pending && (!(await confirmClose()) || !mounted())) return;
    await router.navigate({ to: '/users', search: (now) => now, ignoreBlocker: pending });
  };
  const groups = useWatch({ control, name: 'groups' }) ?? [];
  const { options, gives } = useGroupOptions(useDirectory().groups, groups);
  const email = useWatch({ control, name: 'email' });
  const check = useKnownElsewhere(email);
  const inviteOptions = {
    check,
    groups,
    onDone: (userId: number | undefined) => {
      // Another person may have been typed since.
      if (!mounted() || form.getValues('email') !== email) return;
      const destination =
        userId === undefined
          ? ({ to: '/users' } as const)
          : ({ to: '/users/$userId', params: { userId } } as const);
      void router.navigate({ ...destination, ignoreBlocker: true });
    },
  };

  return (
    <Panel title="New user" onClose={() => void close()}>
      <Form
        form={form}
        pending={pending}
        error={error}
        submitLabel="Create user"
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
            check && (
              <>
                {check.outcome === 'invited' ? '' : check.message}{' '}
                <TakenAddressHelp taken={{ email, userId: check.userId ?? undefined }} ways={inviteOptions} />
              </>
            )
          }
          errorHelp={taken && <TakenAddressHelp taken={taken} ways={inviteOptions} />}
        />
        <SignInFields control={control} />
        <MultiSelectField
          control={control}
          name="groups"
          label="Groups"
          placeholder="Choose groups"
          options={options}
          hint={gives ?? 'Groups grant capabilities. More can be added later.'}
        />
        <LicenseField control={control} />
        <TimeZoneField
          control={control}
          name="timeZone"
          label="Time zone"
          siteZone={site.timeZone}
          hint="Dates with a time are read and written in it on this site."
        />
        <SwitchField control={control} name="isActive" label="Active" hint="Can sign in immediately." />
        <SwitchField
          control={control}
          name="twoFactorEnabled"
          label="Two-factor authentication"
          hint="They set up a second factor at their first sign-in. It cannot be turned off later."
        />
        <SwitchField
          control={control}
          name="ipRestrictionsEnabled"
          label="Only from approved addresses"
          hint="Signs in only from the addresses this site approves. It cannot be turned off later."
        />
      </Form>
    </Panel>
  );
}

// A sent request cannot be undone; closing must not suggest otherwise.
const confirmClose = (): Promise<boolean> =>
  confirm({
    title: 'Close while the user is being created?',
    body: 'The request was sent and cannot be undone. The result is shown as soon as it arrives.',
    action: 'Close',
    cancel: 'Wait',
  });

interface FieldsProps {
  control: Control<NewUserValues, unknown, NewUserValues>;
}

/** Password and federation id; without effect on a site with an identity manager (spec 2.1). */
function SignInFields({ control }: FieldsProps) {
  const { site } = useSession();
  const disabledReason =
    site.identityMode === 'identity-manager'
      ? 'Without effect: an identity manager signs people in to this site.'
      : undefined;
  return (
    <>
      <PasswordField
        control={control}
        name="password"
        label="Password"
        placeholder={disabledReason ? '' : 'Leave empty to send a link'}
        hint="Leave empty to e-mail a link to set one, valid for 24 hours."
        autoComplete="new-password"
        disabledReason={disabledReason}
      />
      <TextField
        control={control}
        name="federationId"
        label="Federation id"
        optional
        hint="Their id at the identity provider."
        disabledReason={disabledReason}
      />
    </>
  );
}

function LicenseField({ control }: FieldsProps) {
  const { reason } = usePermission('updateUserLicense');
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

type InviteOptions = Omit<Parameters<typeof KnownElsewhere>[0], 'email'>;

/** Links for an address that cannot be created: to its user, or to inviting or adding. */
function TakenAddressHelp({
  taken: { email, userId },
  ways,
}: {
  taken: Omit<TakenAddress, 'failure'>;
  ways: InviteOptions;
}) {
  if (userId === undefined) return <KnownElsewhere {...ways} email={email} />;
  return (
    <Link to="/users/$userId" params={{ userId }}>
      Open user
    </Link>
  );
}

/** Why an address cannot be used: a user of this site, or of another site, has it. */
interface TakenAddress {
  email: string;
  userId: number | undefined;
  failure: Failure;
}

function createTakenAddress(email: string, userId: number | undefined): TakenAddress {
  const message =
    userId === undefined ? 'Has an account on another site.' : 'Is already a user of this site.';
  return { email, userId, failure: { message, fields: [{ path: 'email', message }] } };
}

/**
 * Creates a user and sets the license: two requests; if only the first succeeds, a toast says so. Once the form is
 * unmounted, errors are shown as toasts.
 */
function useCreateUser(isMounted: () => boolean) {
  const { site } = useSession();
  const create = useWrite('createUser', createUserMutation());
  const license = useWrite('updateUserLicense', updateUserLicenseMutation());
  const [taken, setTaken] = useState<TakenAddress>();
  const [ownerUnknownError, setOwnerUnknownError] = useState<ServiceError>();

  const setLicense = async (userId: number, licenseTypeId: number, name: string) => {
    if (licenseTypeId === STANDARD) return;
    try {
      await license.mutateAsync({ body: { userId, licenseTypeId } });
    } catch (thrown) {
      const why = thrown instanceof ServiceError ? thrown.message : 'The reason is not known';
      toast({
        title: `${name} was created, but ${thrown instanceof UnknownOutcomeError ? 'may have' : 'has'} the Standard license`,
        description: `${why}. Change it under License.`,
        tone: 'bad',
      });
    }
  };

  const findOwner = async (email: string, refusal: ServiceError) => {
    try {
      setTaken(await loadAddressOwner(email));
    } catch {
      setOwnerUnknownError(refusal);
    }
  };

  /** Id of the new user; undefined if creation failed, with the reason in the hook's state. */
  const submit = async ({ licenseTypeId, ...body }: NewUserValues): Promise<number | undefined> => {
    const normalizedEmail = body.email.trim().toLowerCase();
    const [existing] = await findPeople(`email:"${normalizedEmail}"`, 1);
    setOwnerUnknownError(undefined);
    setTaken(existing && createTakenAddress(body.email, existing.id));
    if (existing) return undefined;
    try {
      const userId = await create.mutateAsync({ body });
      const name = formatFullName(body);
      await setLicense(userId, licenseTypeId, name);
      const byPassword = body.password === undefined ? 'mailed' : 'password';
      const entry = site.identityMode === 'password' ? byPassword : 'identity-manager';
      createdUser.set({
        userId,
        name,
        email: body.email,
        firstSignIn: entry,
        isActive: body.isActive ?? true,
      });
      toast({ title: `${name} was created` });
      return userId;
    } catch (thrown) {
      if (!isMounted()) toastFailedWrite(formatFullName(body), 'created', thrown);
      else if (isTaken(thrown)) await findOwner(body.email, thrown);
      return undefined;
    }
  };

  const refused = isTaken(create.error) ? ownerUnknownError : create.error;
  return { submit, error: taken?.failure ?? refused, taken };
}

const isTaken = (thrown: unknown): thrown is ServiceError =>
  thrown instanceof ServiceError && thrown.status === 409;

// Both cases are refused alike; only the list of this site tells them apart.
async function loadAddressOwner(email: string): Promise<TakenAddress> {
  const { data } = await searchUsers({ query: { email } });
  return createTakenAddress(email, data[0]?.id);
}

/** Values of the panel: the new user, and the license set by a second request. */
type NewUserValues = NewUserInfo & { licenseTypeId: number; timeZone?: string };

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
  timeZone: '',
  licenseTypeId: STANDARD,
};

const resolveByContract = zodResolver(zNewUserInfo.extend({ licenseTypeId: zLicenseTypeId }));

/** Validates by the contract; empty fields are left out. */
const newUserResolver: Resolver<NewUserValues, unknown, NewUserValues> = async (values, context, options) => {
  const { password = '', federationId = '', timeZone = '', groups = [], ...rest } = values;
  const given = {
    ...rest,
    ...(password !== '' && { password }),
    ...(federationId !== '' && { federationId }),
    ...(timeZone !== '' && { timeZone }),
    ...(groups.length > 0 && { groups }),
  };
  return resolveByContract(given, context, options);
};
