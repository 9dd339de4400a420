import { useState } from 'react';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import {
  createUserMutation,
  updateUserLicenseMutation,
} from '../../../api/generated/@tanstack/react-query.gen.ts';
import { searchUsers } from '../../../api/generated/sdk.gen.ts';
import { useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { findPeople } from '../../../directory/directory.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import type { Failure } from '../../../ui/feedback/failure.ts';
import { handOver } from './-hand-over.ts';
import { STANDARD } from './-new-user-form.ts';
import type { NewUserValues } from './-new-user-form.ts';
import { fullName } from './-user-query.ts';

/** Why an address cannot be used: a user of this site has it, or somebody known on another site. */
export interface Taken {
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
export function useCreateUser(watched: () => boolean) {
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
