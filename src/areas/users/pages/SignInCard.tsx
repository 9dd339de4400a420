import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Check, CircleHelp, Info, X } from 'lucide-react';
import { useState } from 'react';
import type { AccessCheck, AccessExplanation } from '../../../../contract/generated/types.gen.ts';
import { validateNetwork } from '../../../../contract/rules/networks.ts';
import { toServiceError } from '../../../api/errors.ts';
import { explainAccessOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { useUser } from './use-user.ts';

const STATE_ICONS = { passes: Check, fails: X, notice: Info, unknown: CircleHelp };
const STATE_LABELS = { passes: 'Passes', fails: 'Fails', notice: 'Note', unknown: 'Not known' };

const CHECK_TITLES: Record<AccessCheck['check'], string> = {
  active: 'Active',
  membershipEnd: 'Membership',
  license: 'License',
  locked: 'Lock',
  password: 'Password',
  identityManager: 'Identity manager',
  twoFactor: 'Second factor',
  address: 'Address',
  groups: 'Groups',
  webService: 'Web service',
  apiKey: 'API key',
  proxies: 'Proxies',
  invitation: 'Invitation',
};

/**
 * Explains whether the user can sign in and how to fix problems (spec 2.1, 3, 5.4), from their last address or another
 * one.
 */
export function SignInCard() {
  const { id: userId, firstName } = useUser();
  const [addressText, setAddressText] = useState('');
  const isAddress =
    addressText !== '' && !addressText.includes('/') && validateNetwork(addressText) === undefined;
  const { data, error, refetch } = useQuery({
    ...explainAccessOptions({ path: { userId }, ...(isAddress && { query: { ipAddress: addressText } }) }),
    placeholderData: keepPreviousData,
  });
  return (
    <Card
      title={`Can ${firstName} sign in?`}
      actions={data && <Verdict isYes={data.canSignIn}>{data.canSignIn ? 'Yes' : 'No'}</Verdict>}
    >
      {data ? (
        <Explanation
          explanation={data}
          addressText={addressText}
          onAddressChange={setAddressText}
          addressError={addressText === '' || isAddress ? undefined : 'Enter a complete IPv4 or IPv6 address'}
        />
      ) : error ? (
        <ErrorState title="Unavailable" onRetry={() => void refetch()}>
          {toServiceError(error).message}
        </ErrorState>
      ) : (
        <CardBody>
          <Skeleton width="70%" />
        </CardBody>
      )}
    </Card>
  );
}

function Verdict({ isYes, children }: { isYes: boolean; children: string }) {
  return <Badge tone={isYes ? 'ok' : 'bad'}>{children}</Badge>;
}

interface ExplanationProps {
  explanation: AccessExplanation;
  addressText: string;
  onAddressChange: (address: string) => void;
  addressError: string | undefined;
}

/** Checks that concern only programs; they are no error for interactive sign-in. */
const PROGRAM_CHECKS: ReadonlySet<AccessCheck['check']> = new Set<AccessCheck['check']>([
  'webService',
  'apiKey',
]);

function Explanation({ explanation, addressText, onAddressChange, addressError }: ExplanationProps) {
  const { checks, ipAddress, canCallInterface } = explanation;
  return (
    <>
      <Checks checks={checks.filter(({ check }) => !PROGRAM_CHECKS.has(check))} />
      <div className="user-check-foot">
        <span>
          Can a program with their key call the API?{' '}
          <Verdict isYes={canCallInterface}>{canCallInterface ? 'Yes' : 'No'}</Verdict>
        </span>
      </div>
      <Checks checks={checks.filter(({ check }) => PROGRAM_CHECKS.has(check))} />
      <div className="user-check-foot">
        <label className="user-check-from">
          From the address
          <input
            className="input"
            value={addressText}
            placeholder={ipAddress ?? 'Not known'}
            aria-invalid={addressError !== undefined}
            onChange={({ target }) => onAddressChange(target.value.trim())}
          />
        </label>
        {addressError !== undefined && <p className="user-check-fault">{addressError}</p>}
      </div>
    </>
  );
}

function Checks({ checks }: { checks: readonly AccessCheck[] }) {
  return (
    <ul className="user-checks">
      {checks.map(({ check, state, message, remedy }) => {
        const Mark = STATE_ICONS[state];
        return (
          <li key={check} className={`user-check user-check-${state}`}>
            <Mark />
            <span>
              <span className="visually-hidden">{STATE_LABELS[state]}: </span>
              {CHECK_TITLES[check]}
            </span>
            <p>
              {message}
              {remedy !== null && remedy !== undefined && <> {remedy}</>}
            </p>
          </li>
        );
      })}
    </ul>
  );
}
