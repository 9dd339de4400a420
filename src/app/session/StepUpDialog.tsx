import { useQuery } from '@tanstack/react-query';
import {
  getOwnSecurityOptions,
  provePresenceMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts';
import { toServiceError } from '../../api/errors.ts';
import { settleProof } from '../../api/step-up.ts';
import { useSession } from '../../api/session.ts';
import { useWrite } from '../../api/write.ts';
import { Dialog } from '../../ui/dialog/Dialog.tsx';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { Spinner } from '../../ui/feedback/Spinner.tsx';
import { OrganizationSignIn } from '../sign-in/OrganizationSignIn.tsx';
import { ProofForm } from '../sign-in/ProofForm.tsx';

const cancel = () => settleProof(false);

/** Stands over whatever asked for something that cannot be undone; the call goes on by itself afterwards. */
export default function StepUpDialog() {
  const { data, error, refetch } = useQuery({ ...getOwnSecurityOptions(), staleTime: 0 });
  const prove = useWrite('provePresence', provePresenceMutation());
  return (
    <Dialog title="Is it still you?" role="alertdialog" onClose={cancel}>
      <p>
        What you are about to do opens or closes a way into an account, or cannot be undone. Prove once more
        that it is you; that holds for ten minutes.
      </p>
      {error && (
        <ErrorState title="It is not known how you can prove it" onRetry={() => void refetch()}>
          {toServiceError(error).message}
        </ErrorState>
      )}
      {!data && !error && <Spinner />}
      {data && data.proofs.length === 0 && <NoProof />}
      {data && data.proofs.length > 0 && (
        <ProofForm
          methods={data.proofs}
          submit="Continue"
          pending={prove.isPending}
          error={prove.error}
          onCancel={cancel}
          onProof={(body) => prove.mutate({ body }, { onSuccess: () => settleProof(true) })}
        />
      )}
    </Dialog>
  );
}

/** Whom an identity manager signs in proves it there, anew; the page takes over the session that comes of it. */
function NoProof() {
  const { site } = useSession();
  if (site.identityMode === 'password')
    return (
      <p>You have neither a password nor a second factor here: sign out and in again, then try once more.</p>
    );
  return (
    <>
      <p>Prove it to your organization in another tab, then come back here and try once more.</p>
      <OrganizationSignIn slug={site.slug} />
    </>
  );
}
