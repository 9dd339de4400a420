import { zodResolver } from '@hookform/resolvers/zod';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import type { PresenceProof, ProofMethod } from '../../api/generated/types.gen.ts';
import { Button } from '../../ui/button/Button.tsx';
import { FailureBanner } from '../../ui/feedback/FailureBanner.tsx';
import type { Failure } from '../../ui/feedback/failure.ts';
import { Form } from '../../ui/form/Form.tsx';
import { PasswordField } from '../../ui/form/PasswordField.tsx';
import { TextField } from '../../ui/form/TextField.tsx';
import { focusFirstField } from './focus.ts';
import { OTHER_WAY, proofOf, TYPED } from './proof-fields.ts';
import type { TypedMethod } from './proof-fields.ts';
import { askForProof, passkeysPossible } from './passkeys.ts';
import './access.css';

interface ProofFormProps {
  /** How the person can prove it, the usual way first. */
  methods: readonly ProofMethod[];
  /** The verb on the primary button. */
  submit: string;
  pending: boolean;
  error: Failure | null;
  onProof: (proof: PresenceProof) => void;
  onCancel?: (() => void) | undefined;
}

/** One proof, and the other ways to give one: a code, a passkey, a recovery code, or the password. */
export function ProofForm({ methods, error, onProof, ...rest }: ProofFormProps) {
  const possible = methods.filter((method) => method !== 'passkey' || passkeysPossible());
  const [chosen, setChosen] = useState<ProofMethod>();
  const [tried, setTried] = useState<ProofMethod>();
  const method = chosen ?? possible[0];
  if (method === undefined)
    return <p className="proof-none">This browser cannot use any of your second factors. Try another one.</p>;
  const given = {
    ...rest,
    // What was wrong with one proof says nothing of the next.
    error: tried === method ? error : null,
    onProof(proof: PresenceProof) {
      setTried(method);
      onProof(proof);
    },
  };
  return (
    <>
      {method === 'passkey' ? (
        <PasskeyProof {...given} />
      ) : (
        <TypedProof key={method} method={method} {...given} />
      )}
      <OtherWays ways={possible.filter((other) => other !== method)} onChoose={setChosen} />
    </>
  );
}

function OtherWays({
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
          {OTHER_WAY[way]}
        </Button>
      ))}
    </div>
  );
}

type Given = Omit<ProofFormProps, 'methods'>;

function TypedProof({ method, onProof, ...rest }: Given & { method: TypedMethod }) {
  const { name, label, hint, schema } = TYPED[method];
  const form = useForm({
    resolver: zodResolver(z.object({ [name]: schema })),
    defaultValues: { [name]: '' },
  });
  const field = { control: form.control, name, label };
  return (
    <Form form={form} onSubmit={(values) => onProof(proofOf(method, values[name] ?? ''))} {...rest}>
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

function PasskeyProof({ submit, pending, error, onProof, onCancel }: Given) {
  const [asking, setAsking] = useState(false);
  const [unused, setUnused] = useState(false);
  const ask = async () => {
    setAsking(true);
    setUnused(false);
    try {
      onProof({ passkey: await askForProof() });
    } catch {
      setUnused(true);
    } finally {
      setAsking(false);
    }
  };
  return (
    <div className="form">
      <div className="form-body">
        {error && <FailureBanner failure={error} />}
        {unused && <p role="alert">The passkey was not used. Try again, or choose another way.</p>}
        <p>The browser asks for your passkey: a fingerprint, your face, a PIN or a security key.</p>
      </div>
      <footer className="form-footer">
        {onCancel && <Button onClick={onCancel}>Cancel</Button>}
        <Button variant="primary" icon={KeyRound} pending={pending || asking} onClick={() => void ask()}>
          {submit}
        </Button>
      </footer>
    </div>
  );
}
