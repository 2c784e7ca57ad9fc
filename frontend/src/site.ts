// Entry of the pages that Django renders by itself (sign in, errors): the styles only.
import './app/styles.css'
