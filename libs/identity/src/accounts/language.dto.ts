import { EnumField } from '#http';
import { type Language, LANGUAGES } from '#kernel';

export class LanguageChoice {
  @EnumField(LANGUAGES, { description: 'ISO 639-1' })
  language: Language;
}
