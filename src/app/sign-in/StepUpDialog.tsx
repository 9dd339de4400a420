import { useQuery } from '@tanstack/react-query';
import { toServiceError } from '../../api/errors.ts';
import { getOwnSecurityOptions, provePresenceMutation } from '../../api/generated/queries/access.gen.ts';
import { useSession } from '../../api/session.ts';
import { settleProof } from '../../api/step-up.ts';
import { useWrite } from '../../api/write.ts';
import { Dialog } from '../../ui/dialog/Dialog.tsx';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { Spinner } from '../../ui/Spinner.tsx';
import { OrganizationSignIn } from './OrganizationSignIn.tsx';
import { ProofForm } from './ProofForm.tsx';

const cancel = () => settleProof(false);

/** Dialog that requests a proof of presence for a waiting call; the call continues afterwards. */
export default function StepUpDialog() {
  const { data, error, refetch } = useQuery({ ...getOwnSecurityOptions(), staleTime: 0 });
  const prove = useWrite('provePresence', provePresenceMutation());
  return (
    <Dialog title="Confirm it’s you" role="alertdialog" onClose={cancel}>
      <p>This action needs a recent confirmation of your identity. It is valid for ten minutes.</p>
      {error && (
        <ErrorState title="Your verification methods could not be loaded" onRetry={() => void refetch()}>
          {toServiceError(error).message}
        </ErrorState>
      )}
      {!data && !error && <Spinner />}
      {data && data.proofs.length === 0 && <NoProof />}
      {data && data.proofs.length > 0 && (
        <ProofForm
          methods={data.proofs}
          submitLabel="Continue"
          pending={prove.isPending}
          error={prove.error}
          onCancel={cancel}
          onProof={(body) => prove.mutate({ body }, { onSuccess: () => settleProof(true) })}
        />
      )}
    </Dialog>
  );
}

/** Shown without any proof method: users of an identity manager sign in there again, and the page uses the new session. */
function NoProof() {
  const { site } = useSession();
  if (site.identityMode === 'password')
    return <p>You have neither a password nor a second factor here. Sign out, sign in again and retry.</p>;
  return (
    <>
      <p>Sign in to your organization in another tab, then return here and retry.</p>
      <OrganizationSignIn slug={site.slug} />
    </>
  );
}
