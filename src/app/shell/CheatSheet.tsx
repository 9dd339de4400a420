import { Button } from '../../ui/button/Button.tsx';
import { Dialog } from '../../ui/dialog/Dialog.tsx';
import { SwitchRow } from '../../ui/form/Toggle.tsx';
import { setSingleKeysEnabled, useShortcuts, useSingleKeysEnabled } from '../../ui/shortcuts.ts';
import type { Shortcut } from '../../ui/shortcuts.ts';
import { ROW_KEYS } from '../../ui/table/row-keys.ts';
import './cheat-sheet.css';

const KEY_LABELS: Record<string, string> = {
  mod: navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl',
  PageUp: 'Page ↑',
  PageDown: 'Page ↓',
};

const TABLE_SHORTCUTS: readonly Shortcut[] = ROW_KEYS.map((row) => ({ ...row, group: 'In a table' }));

/** Dialog with all shortcuts available on the current page and the keys of tables. */
export default function CheatSheet({ onClose }: { onClose: () => void }) {
  const groups = Map.groupBy([...useShortcuts(), ...TABLE_SHORTCUTS], ({ group }) => group);
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
      <SwitchRow
        label="Single-key shortcuts"
        hint="Shortcuts without Ctrl or Cmd. The palette also opens this dialog."
        checked={useSingleKeysEnabled()}
        onChange={setSingleKeysEnabled}
      />
      <div className="keys">
        {[...groups].map(([group, shortcuts]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {shortcuts.map(({ keys, label }) => (
                <div key={keys}>
                  <dt>{label}</dt>
                  <dd>
                    {keys.split(/[ +]/).map((key) => (
                      <kbd key={key} className="kbd">
                        {KEY_LABELS[key] ?? key}
                      </kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
