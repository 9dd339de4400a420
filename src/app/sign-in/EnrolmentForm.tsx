import { zodResolver } from '@hookform/resolvers/zod';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState, use } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { toServiceError } from '../../api/errors.ts';
import { confirmEnrolmentMutation } from '../../api/generated/@tanstack/react-query.gen.ts';
import { beginEnrolment } from '../../api/generated/sdk.gen.ts';
import type { Enrolled, Enrolment, Session } from '../../api/generated/types.gen.ts';
import { useWrite } from '../../api/write.ts';
import { CopyButton } from '../../ui/button/CopyButton.tsx';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { Spinner } from '../../ui/feedback/Spinner.tsx';
import { Form } from '../../ui/form/Form.tsx';
import { TextField } from '../../ui/form/TextField.tsx';
import { focusFirstField } from './focus.ts';
import { typedCode } from './proof-fields.ts';
import { RecoveryCodes } from './RecoveryCodes.tsx';
import './access.css';

interface EnrolmentFormProps {
  onDone: (session: Session) => void;
  /** The tries are used up, or the time is over. */
  onOver: () => void;
  onCancel: () => void;
  /** The verb on the last button. */
  done: string;
}

// Asked for once while it is on screen, and forgotten with it: the secret stays in no cache.
const enrolmentQuery = {
  queryKey: ['enrolment'],
  queryFn: async () => (await beginEnrolment()).data,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
  retry: false,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
} as const;

/** Sets up an authenticator app: a secret, the first code of it, and recovery codes. */
export default function EnrolmentForm({ onDone, onOver, onCancel, done }: EnrolmentFormProps) {
  const { data, error, refetch } = useQuery(enrolmentQuery);
  const [enrolled, setEnrolled] = useState<Enrolled>();
  if (enrolled) {
    const { session, recoveryCodes } = enrolled;
    return (
      <RecoveryCodes
        codes={recoveryCodes}
        email={session.user.email}
        done={done}
        onDone={() => onDone(session)}
      />
    );
  }
  if (error)
    return (
      <ErrorState title="No secret could be made" onRetry={() => void refetch()}>
        {toServiceError(error).message}
      </ErrorState>
    );
  if (!data)
    return (
      <p className="enrol-wait">
        <Spinner /> A secret is being made
      </p>
    );
  return <ConfirmForm enrolment={data} onDone={setEnrolled} onOver={onOver} onCancel={onCancel} />;
}

interface ConfirmFormProps {
  enrolment: Enrolment;
  onDone: (enrolled: Enrolled) => void;
  onOver: () => void;
  onCancel: () => void;
}

function ConfirmForm({ enrolment, onDone, onOver, onCancel }: ConfirmFormProps) {
  const { secret, otpauthUri } = enrolment;
  const confirm = useWrite('confirmEnrolment', confirmEnrolmentMutation());
  const form = useForm({ resolver: zodResolver(z.object({ code: typedCode })), defaultValues: { code: '' } });
  return (
    <Form
      form={form}
      pending={confirm.isPending}
      error={confirm.error}
      submit="Confirm"
      onCancel={onCancel}
      onSubmit={(body) =>
        confirm.mutate(
          { body },
          {
            onSuccess: onDone,
            onError({ status }) {
              if (status === 401) onOver();
            },
          },
        )
      }
    >
      <p>Scan this with an authenticator app, or type the secret into it.</p>
      <Suspense fallback={<div className="qr" />}>
        <QrCode text={otpauthUri} />
      </Suspense>
      <p className="enrol-secret">
        <code aria-label="Secret">{secret.match(/.{1,4}/g)?.join(' ')}</code>
        <CopyButton value={secret} label="Copy the secret" />
      </p>
      <div ref={focusFirstField}>
        <TextField
          control={form.control}
          name="code"
          label="Code that the app shows"
          autoComplete="one-time-code"
          inputMode="numeric"
        />
      </div>
    </Form>
  );
}

// The page's policy lets no text become markup: the code is drawn from its cells.
const drawn = new Map<string, Promise<{ size: number; path: string }>>();

async function draw(text: string): Promise<{ size: number; path: string }> {
  const { encode } = await import('uqr');
  const { size, data } = encode(text, { border: 2 });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return { size, path };
}

function drawingOf(text: string) {
  const known = drawn.get(text) ?? draw(text);
  // One at a time: what was shown before is a secret that nobody needs again.
  drawn.clear();
  drawn.set(text, known);
  return known;
}

/** A QR code, dark on light in every theme: cameras need it so. The secret stands beside it as text for everybody else. */
function QrCode({ text }: { text: string }) {
  const { size, path } = use(drawingOf(text));
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} aria-hidden shapeRendering="crispEdges">
      <path className="qr-dark" d={path} />
    </svg>
  );
}
