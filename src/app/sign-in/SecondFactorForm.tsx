import { verifySecondFactorMutation } from '../../api/generated/@tanstack/react-query.gen.ts';
import type { PendingSignIn, Session } from '../../api/generated/types.gen.ts';
import { useWrite } from '../../api/write.ts';
import { ProofForm } from './ProofForm.tsx';

interface SecondFactorFormProps {
  methods: PendingSignIn['methods'];
  onDone: (session: Session) => void;
  /** The tries are used up, or the time is over. */
  onOver: () => void;
  onCancel: () => void;
}

/** The second half of a sign-in. */
export default function SecondFactorForm({ methods, onDone, onOver, onCancel }: SecondFactorFormProps) {
  const verify = useWrite('verifySecondFactor', verifySecondFactorMutation());
  return (
    <ProofForm
      methods={methods}
      submit="Sign in"
      pending={verify.isPending}
      error={verify.error}
      onCancel={onCancel}
      onProof={(body) =>
        verify.mutate(
          { body },
          {
            onSuccess: onDone,
            onError({ status }) {
              if (status === 401) onOver();
            },
          },
        )
      }
    />
  );
}
