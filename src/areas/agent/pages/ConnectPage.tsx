import { useQuery } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { useController, useForm } from 'react-hook-form';
import type { AgentAuthorization } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { approveAgentAuthorizationMutation } from '../../../api/generated/queries/agent.gen.ts';
import { describeAgentAuthorization } from '../../../api/generated/sdk/agent.gen.ts';
import { usePermission, useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { FailureBanner } from '../../../ui/feedback/FailureBanner.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { MultiSelectField } from '../../../ui/form/select/MultiSelectField.tsx';
import { Card, CardBody, Fact, Facts } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { toTypeOption } from '../../../ui/layout/TypeTile.tsx';
import { useSchemaNames } from '../model/queries.ts';
import { DEFAULT_LIFETIME_DAYS, LifetimeField } from '../panels/LifetimeField.tsx';
import '../panels/agent.css';

/** Page on which a person decides about a client that asks for access (OAuth consent). */
export function ConnectPage() {
  const { request } = useSearch({ from: '/_app/connect-agent' });
  const { data, error } = useQuery({
    queryKey: ['describeAgentAuthorization', request],
    queryFn: async () => (await describeAgentAuthorization({ body: { request }, throwOnError: true })).data,
    // The request does not change, and each answer may call the server of the client.
    staleTime: Infinity,
    retry: false,
    enabled: request !== '',
  });
  return (
    <Page title="Connect a client">
      <div className="agent agent-connect">
        {request === '' && (
          <Banner tone="info" title="No client asks for access">
            Start in the client: it opens this page.
          </Banner>
        )}
        {error && <RefusedRequest error={error} />}
        {data && <ConsentForm request={request} client={data} />}
      </div>
    </Page>
  );
}

/** The browser stays here, because the address of the client is not trusted. */
function RefusedRequest({ error }: { error: unknown }) {
  const router = useRouter();
  return (
    <>
      <FailureBanner failure={toServiceError(error)} />
      <div className="agent-line">
        <Button onClick={() => void router.navigate({ to: '/' })}>Go to the overview</Button>
      </div>
    </>
  );
}

interface ConsentValues {
  entryTypeIds: number[];
  expiresInDays: number;
}

const leaveFor = (address: string) => location.assign(address);

function ConsentForm({ request, client }: { request: string; client: AgentAuthorization }) {
  const { user, site } = useSession();
  const { reason } = usePermission('approveAgentAuthorization');
  const approve = useWrite('approveAgentAuthorization', approveAgentAuthorizationMutation());
  const { types } = useSchemaNames();
  const form = useForm<ConsentValues>({
    defaultValues: { entryTypeIds: [], expiresInDays: DEFAULT_LIFETIME_DAYS },
  });
  const { control } = form;
  const lifetime = useController({ control, name: 'expiresInDays' });
  const submit = ({ entryTypeIds, expiresInDays }: ConsentValues) =>
    approve.mutate(
      { body: { request, expiresInDays, entryTypeIds: entryTypeIds.length === 0 ? null : entryTypeIds } },
      { onSuccess: ({ address }) => leaveFor(address) },
    );
  return (
    <>
      <Card title={`“${client.name}” wants to read ${site.name}`}>
        <Facts>
          <Fact label="Client">
            {client.name}, a name that it chose itself. Published by <b>{new URL(client.clientId).host}</b>
          </Fact>
          <Fact label="Redirects to">{describeTarget(client.redirectAddress)}</Fact>
          <Fact label="Reads as">
            {user.firstName} {user.lastName} ({user.email})
          </Fact>
          <Fact label="May do">
            Read what you can read in the entry types below. It cannot change anything.
          </Fact>
        </Facts>
        <CardBody>
          <p className="agent-soft">
            Every call is recorded in the ledger. You can disconnect the client at any time in your profile.
          </p>
        </CardBody>
      </Card>
      <Banner tone="warn" title="Continue only if you have just started this in the client">
        If a link or a message brought you here, refuse.
      </Banner>
      <Card title="What it may read">
        <CardBody>
          <Form
            form={form}
            pending={approve.isPending || approve.isSuccess}
            error={approve.error}
            submitLabel="Connect"
            disabledReason={reason}
            cancelLabel="Refuse"
            onCancel={() => leaveFor(client.denyAddress)}
            onSubmit={submit}
          >
            <MultiSelectField
              control={control}
              name="entryTypeIds"
              label="Allowed entry types"
              placeholder="All entry types"
              hint="Choose those that the task needs. Without a choice the client reads what you may read."
              options={types.map(toTypeOption)}
            />
            <LifetimeField
              value={lifetime.field.value}
              maxDays={client.maxDays}
              onChange={lifetime.field.onChange}
            />
          </Form>
        </CardBody>
      </Card>
    </>
  );
}

/** Where the code goes: a program on this computer, or a server. */
function describeTarget(address: string): string {
  const { protocol, host } = new URL(address);
  return protocol === 'http:' ? `A program on this computer (${host})` : host;
}
