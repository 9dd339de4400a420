import { useState } from 'react';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { SegmentedControl } from '../../../ui/form/SegmentedControl.tsx';
import { buildSetUps, KEY_VARIABLE } from '../model/set-up.ts';
import { CodeBlock } from './CodeBlock.tsx';
import './agent.css';

interface SetUpTextsProps {
  /** Absolute URL of the agent server. */
  address: string;
  /** Short name of the site. */
  site: string;
}

/** Panel with the set-up text of each client. */
export function SetUpPanel({ onClose, ...props }: SetUpTextsProps & { onClose: () => void }) {
  return (
    <Panel title="Set up a client" onClose={onClose}>
      <div className="agent-panel">
        <ol className="agent-steps">
          <li>
            Make a key for the person the agent works for. Store it in the environment variable{' '}
            <code>{KEY_VARIABLE}</code> or a password store, never in a file that others read.
          </li>
          <li>Add the text of your client to its configuration.</li>
          <li>
            Ask the agent to list the entry types. Its first call appears in the ledger within a few seconds.
          </li>
        </ol>
        <SetUpTexts {...props} />
        <p className="agent-soft">
          A client that can sign in by itself needs no key: give it the address <code>{props.address}</code>,
          and decide on the page that it opens.
        </p>
      </div>
    </Panel>
  );
}

/** The set-up text of one client after the other. */
export function SetUpTexts({ address, site }: SetUpTextsProps) {
  const setUps = buildSetUps(address, site);
  const [client, setClient] = useState(setUps[0]?.client ?? '');
  const setUp = setUps.find((one) => one.client === client);
  return (
    <div className="agent-stack">
      <div className="agent-choice">
        <SegmentedControl
          label="Client"
          options={setUps.map((one) => ({ value: one.client, label: one.client }))}
          value={client}
          onChange={setClient}
        />
      </div>
      {setUp && (
        <CodeBlock title={setUp.place} text={setUp.text} copyLabel={`Copy the text for ${setUp.client}`} />
      )}
      <p className="agent-soft">{setUp?.note}</p>
    </div>
  );
}
