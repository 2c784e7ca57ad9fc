// Before each test file: texts are in English, which needs no catalogue.
import { i18n } from '@lingui/core'

i18n.loadAndActivate({ locale: 'en', messages: {} })
