import type { PendingSignIn, Session } from '../../../contract/generated/types.gen.ts';
import { verifySecondFactorMutation } from '../../api/generated/queries/access.gen.ts';
import { useWrite } from '../../api/write.ts';
import { ProofForm } from './ProofForm.tsx';

interface SecondFactorFormProps {
  methods: PendingSignIn['methods'];
  onDone: (session: Session) => void;
  /** Called when the attempts are used up or the time is over. */
  onExpired: () => void;
  onCancel: () => void;
}

/** Second step of a sign-in. */
export default function SecondFactorForm({ methods, onDone, onExpired, onCancel }: SecondFactorFormProps) {
  const verify = useWrite('verifySecondFactor', verifySecondFactorMutation());
  return (
    <ProofForm
      methods={methods}
      submitLabel="Sign in"
      pending={verify.isPending}
      error={verify.error}
      onCancel={onCancel}
      onProof={(body) =>
        verify.mutate(
          { body },
          {
            onSuccess: onDone,
            onError({ status }) {
              if (status === 401) onExpired();
            },
          },
        )
      }
    />
  );
}
