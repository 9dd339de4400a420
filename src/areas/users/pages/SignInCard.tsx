import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Check, CircleHelp, Info, X } from 'lucide-react';
import { useState } from 'react';
import { networkFault } from '../../../../contract/rules/networks.ts';
import { toServiceError } from '../../../api/errors.ts';
import { explainAccessOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { AccessCheck, AccessExplanation } from '../../../api/generated/types.gen.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { useUser } from './use-user.ts';

const MARKS = { passes: Check, fails: X, notice: Info, unknown: CircleHelp };
const SPOKEN = { passes: 'Passes', fails: 'Fails', notice: 'Worth knowing', unknown: 'Not known' };

const TITLES: Record<AccessCheck['check'], string> = {
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

/** Why the user gets in or does not, and what mends it (spec 2.1, 3, 5.4): from their last address, or another one. */
export function SignInCard() {
  const { id: userId, firstName } = useUser();
  const [typed, setTyped] = useState('');
  const isAddress = typed !== '' && !typed.includes('/') && networkFault(typed) === undefined;
  const { data, error, refetch } = useQuery({
    ...explainAccessOptions({ path: { userId }, ...(isAddress && { query: { ipAddress: typed } }) }),
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
          typed={typed}
          onType={setTyped}
          fault={typed === '' || isAddress ? undefined : 'Not a whole IPv4 or IPv6 address yet'}
        />
      ) : error ? (
        <ErrorState title="Not known" onRetry={() => void refetch()}>
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
  typed: string;
  onType: (address: string) => void;
  fault: string | undefined;
}

/** What only a program needs is told apart: to somebody who signs in it is no fault. */
const OF_PROGRAMS: ReadonlySet<AccessCheck['check']> = new Set<AccessCheck['check']>([
  'webService',
  'apiKey',
]);

function Explanation({ explanation, typed, onType, fault }: ExplanationProps) {
  const { checks, ipAddress, canCallInterface } = explanation;
  return (
    <>
      <Checks checks={checks.filter(({ check }) => !OF_PROGRAMS.has(check))} />
      <div className="user-check-foot">
        <span>
          May a program with their key call the interface?{' '}
          <Verdict isYes={canCallInterface}>{canCallInterface ? 'Yes' : 'No'}</Verdict>
        </span>
      </div>
      <Checks checks={checks.filter(({ check }) => OF_PROGRAMS.has(check))} />
      <div className="user-check-foot">
        <label className="user-check-from">
          From the address
          <input
            className="input"
            value={typed}
            placeholder={ipAddress ?? 'Not known'}
            aria-invalid={fault !== undefined}
            onChange={({ target }) => onType(target.value.trim())}
          />
        </label>
        {fault !== undefined && <p className="user-check-fault">{fault}</p>}
      </div>
    </>
  );
}

function Checks({ checks }: { checks: readonly AccessCheck[] }) {
  return (
    <ul className="user-checks">
      {checks.map(({ check, state, message, remedy }) => {
        const Mark = MARKS[state];
        return (
          <li key={check} className={`user-check user-check-${state}`}>
            <Mark />
            <span>
              <span className="visually-hidden">{SPOKEN[state]}: </span>
              {TITLES[check]}
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
