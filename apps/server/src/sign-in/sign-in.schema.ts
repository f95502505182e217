import { shown } from '../http/fields.js';
import { model } from '../http/model.js';

export const SignInOptionsDto = model('SignInOptionsDto', {
  provider: shown(
    'Where people sign in; null: they cannot, and the dashboard needs an API token.',
    'GitLab',
  ).nullable(),
});
