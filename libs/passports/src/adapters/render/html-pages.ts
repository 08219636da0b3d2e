import { Injectable } from '@nestjs/common';
import type { PublicPassport } from '../../domain/passport.js';
import { PassportPages } from '../../ports.js';
import { labelSvg } from './label-svg.js';
import { labelOf } from './label.js';
import { passportPage } from './passport-page.js';
import { verifyPage } from './verify-page.js';

@Injectable()
export class HtmlPages extends PassportPages {
  override page(passport: PublicPassport, verifier: string): string {
    return passportPage(passport, verifier);
  }

  override label(passport: PublicPassport): string {
    return labelSvg(labelOf(passport));
  }

  override verifier(): string {
    return verifyPage();
  }
}
