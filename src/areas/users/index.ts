export { parseUsersView, serializeUsersView } from './model/view.ts';
