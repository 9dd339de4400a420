export { addAdministrator } from './administrator.ts';
export { userHandlers } from './handlers.ts';
