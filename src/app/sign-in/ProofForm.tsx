import { zodResolver } from '@hookform/resolvers/zod';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import type { PresenceProof, ProofMethod } from '../../../contract/generated/types.gen.ts';
import { Button } from '../../ui/button/Button.tsx';
import { toFailure } from '../../ui/feedback/failure.ts';
import type { Failure } from '../../ui/feedback/failure.ts';
import { FailureBanner } from '../../ui/feedback/FailureBanner.tsx';
import { Form } from '../../ui/form/Form.tsx';
import { PasswordField } from '../../ui/form/PasswordField.tsx';
import { TextField } from '../../ui/form/TextField.tsx';
import { focusFirstField, focusPrimaryButton } from './focus.ts';
import { requestPasskeyProof, isPasskeySupported, PasskeyNotUsedError } from './passkeys.ts';
import { OTHER_METHOD_LABELS, toPresenceProof, PROOF_FIELDS } from './proof-fields.ts';
import type { TypedMethod } from './proof-fields.ts';
import './access.css';

interface ProofFormProps {
  /** Possible methods, the default first. */
  methods: readonly ProofMethod[];
  /** Label of the primary button. */
  submitLabel: string;
  pending: boolean;
  error: Failure | null;
  onProof: (proof: PresenceProof) => void;
  onCancel?: (() => void) | undefined;
}

/** Form for a proof of presence by code, passkey, recovery code or password, with buttons for the other methods. */
export function ProofForm({ methods, error, onProof, ...rest }: ProofFormProps) {
  const possible = methods.filter((method) => method !== 'passkey' || isPasskeySupported());
  const [chosen, setChosen] = useState<ProofMethod>();
  const [tried, setTried] = useState<ProofMethod>();
  const method = chosen ?? possible[0];
  if (method === undefined)
    return (
      <p className="proof-none">This browser supports none of your second factors. Use another browser.</p>
    );
  const proofProps = {
    ...rest,
    // An error belongs to the method that was tried.
    error: tried === method ? error : null,
    onProof(proof: PresenceProof) {
      setTried(method);
      onProof(proof);
    },
  };
  return (
    <>
      {method === 'passkey' ? (
        <PasskeyProof {...proofProps} />
      ) : (
        <TypedProof key={method} method={method} {...proofProps} />
      )}
      <OtherMethods ways={possible.filter((other) => other !== method)} onChoose={setChosen} />
    </>
  );
}

function OtherMethods({
  ways,
  onChoose,
}: {
  ways: readonly ProofMethod[];
  onChoose: (way: ProofMethod) => void;
}) {
  if (ways.length === 0) return null;
  return (
    <div className="proof-ways">
      {ways.map((way) => (
        <Button key={way} variant="quiet" size="small" onClick={() => onChoose(way)}>
          {OTHER_METHOD_LABELS[way]}
        </Button>
      ))}
    </div>
  );
}

type ProofProps = Omit<ProofFormProps, 'methods'>;

function TypedProof({ method, onProof, ...rest }: ProofProps & { method: TypedMethod }) {
  const { name, label, hint, schema } = PROOF_FIELDS[method];
  const form = useForm({
    resolver: zodResolver(z.object({ [name]: schema })),
    defaultValues: { [name]: '' },
  });
  const field = { control: form.control, name, label };
  return (
    <Form form={form} onSubmit={(values) => onProof(toPresenceProof(method, values[name] ?? ''))} {...rest}>
      <div ref={focusFirstField}>
        {method === 'password' ? (
          <PasswordField {...field} autoComplete="current-password" />
        ) : (
          <TextField
            {...field}
            hint={hint}
            autoComplete={method === 'code' ? 'one-time-code' : 'off'}
            inputMode={method === 'code' ? 'numeric' : 'text'}
          />
        )}
      </div>
    </Form>
  );
}

function PasskeyProof({ submitLabel, pending, error, onProof, onCancel }: ProofProps) {
  const [asking, setAsking] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const ask = async () => {
    setAsking(true);
    setFailure(undefined);
    try {
      onProof({ passkey: await requestPasskeyProof() });
    } catch (thrown) {
      setFailure(thrown);
    } finally {
      setAsking(false);
    }
  };
  return (
    <div className="form" ref={focusPrimaryButton}>
      <div className="form-body">
        {error && <FailureBanner failure={error} />}
        {failure instanceof PasskeyNotUsedError ? (
          <p role="alert">The passkey was not used. Try again, or choose another way.</p>
        ) : (
          failure !== undefined && <FailureBanner failure={toFailure(failure)} />
        )}
        <p>The browser asks for your passkey: a fingerprint, your face, a PIN or a security key.</p>
      </div>
      <footer className="form-footer">
        {onCancel && <Button onClick={onCancel}>Cancel</Button>}
        <Button variant="primary" icon={KeyRound} pending={pending || asking} onClick={() => void ask()}>
          {submitLabel}
        </Button>
      </footer>
    </div>
  );
}
