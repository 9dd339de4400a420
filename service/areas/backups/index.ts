import { downloadHandlers } from './downloads.ts';
import { backupHandlers as requestHandlers } from './handlers.ts';
import { backupSettingsHandlers } from './settings.ts';

export { backupChores } from './chores.ts';

export const backupHandlers = { ...requestHandlers, ...downloadHandlers, ...backupSettingsHandlers };
