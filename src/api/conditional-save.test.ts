import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test, vi } from 'vitest';
import { useConditionalSave } from './conditional-save.ts';
import { ServiceError } from './errors.ts';

type Save = (name: string) => Promise<string | undefined>;

function Editor({ onRender }: { onRender: (save: Save) => void }) {
  const { save } = useConditionalSave<string, string>({
    initial: { data: 'Ada', etag: '"1"' },
    operation: 'updateUser',
    write: () => Promise.reject(new ServiceError(412, 'Changed')),
    read: () => Promise.reject(new ServiceError(0, 'The service cannot be reached')),
  });
  onRender(save);
  return null;
}

test('a conflict whose current state cannot be read is an error of saving', async () => {
  const onRender = vi.fn<(save: Save) => void>();
  const editor = createElement(Editor, { onRender });
  renderToString(createElement(QueryClientProvider, { client: new QueryClient() }, editor));
  await expect(onRender.mock.lastCall?.[0]('Ida')).resolves.toBeUndefined();
});
