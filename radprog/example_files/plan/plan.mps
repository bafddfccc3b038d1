NAME radprog FREE
ROWS
 N obj
 E parcel(0)
 E parcel(1)
 E parcel(2)
 E parcel(3)
 E parcel(4)
 E parcel(5)
 E parcel(6)
 E parcel(7)
 E parcel(8)
 E parcel(9)
 E parcel(10)
 E parcel(11)
 E parcel(12)
 E parcel(13)
 E parcel(14)
 E parcel(15)
 E parcel(16)
 E parcel(17)
 E parcel(18)
 E parcel(19)
 E parcel(20)
 E parcel(21)
 E parcel(22)
 E parcel(23)
 E parcel(24)
 E parcel(25)
 E parcel(26)
 E parcel(27)
 E parcel(28)
 E parcel(29)
 E parcel(30)
 E parcel(31)
 E parcel(32)
 E parcel(33)
 E parcel(34)
 E parcel(35)
 E parcel(36)
 E parcel(37)
 E parcel(38)
 E parcel(39)
 E parcel(40)
 E parcel(41)
 E parcel(42)
 E parcel(43)
 E parcel(44)
 E parcel(45)
 E parcel(46)
 E parcel(47)
 E parcel(48)
 E parcel(49)
 E parcel(50)
 E parcel(51)
 E parcel(52)
 E parcel(53)
 E parcel(54)
 E parcel(55)
 E parcel(56)
 E parcel(57)
 E parcel(58)
 E parcel(59)
 L weight(0)
 L weight(1)
 L weight(2)
 L weight(3)
 L weight(4)
 L weight(5)
 L weight(6)
 L weight(7)
 L weight(8)
 L weight(9)
 L weight(10)
 L weight(11)
 L weight(12)
 L weight(13)
 L weight(14)
 L weight(15)
 L weight(16)
 L weight(17)
 L weight(18)
 L weight(19)
 L weight(20)
 L weight(21)
 L weight(22)
 L weight(23)
COLUMNS
 MARKER 'MARKER' 'INTORG'
 put(0.0) parcel(0) 1.0
 put(0.0) weight(0) 264.0
 put(0.1) parcel(0) 1.0
 put(0.1) weight(1) 264.0
 put(0.2) parcel(0) 1.0
 put(0.2) weight(2) 264.0
 put(0.3) parcel(0) 1.0
 put(0.3) weight(3) 264.0
 put(0.4) parcel(0) 1.0
 put(0.4) weight(4) 264.0
 put(0.5) parcel(0) 1.0
 put(0.5) weight(5) 264.0
 put(0.6) parcel(0) 1.0
 put(0.6) weight(6) 264.0
 put(0.7) parcel(0) 1.0
 put(0.7) weight(7) 264.0
 put(0.8) parcel(0) 1.0
 put(0.8) weight(8) 264.0
 put(0.9) parcel(0) 1.0
 put(0.9) weight(9) 264.0
 put(0.10) parcel(0) 1.0
 put(0.10) weight(10) 264.0
 put(0.11) parcel(0) 1.0
 put(0.11) weight(11) 264.0
 put(0.12) parcel(0) 1.0
 put(0.12) weight(12) 264.0
 put(0.13) parcel(0) 1.0
 put(0.13) weight(13) 264.0
 put(0.14) parcel(0) 1.0
 put(0.14) weight(14) 264.0
 put(0.15) parcel(0) 1.0
 put(0.15) weight(15) 264.0
 put(0.16) parcel(0) 1.0
 put(0.16) weight(16) 264.0
 put(0.17) parcel(0) 1.0
 put(0.17) weight(17) 264.0
 put(0.18) parcel(0) 1.0
 put(0.18) weight(18) 264.0
 put(0.19) parcel(0) 1.0
 put(0.19) weight(19) 264.0
 put(0.20) parcel(0) 1.0
 put(0.20) weight(20) 264.0
 put(0.21) parcel(0) 1.0
 put(0.21) weight(21) 264.0
 put(0.22) parcel(0) 1.0
 put(0.22) weight(22) 264.0
 put(0.23) parcel(0) 1.0
 put(0.23) weight(23) 264.0
 put(1.0) parcel(1) 1.0
 put(1.0) weight(0) 251.0
 put(1.1) parcel(1) 1.0
 put(1.1) weight(1) 251.0
 put(1.2) parcel(1) 1.0
 put(1.2) weight(2) 251.0
 put(1.3) parcel(1) 1.0
 put(1.3) weight(3) 251.0
 put(1.4) parcel(1) 1.0
 put(1.4) weight(4) 251.0
 put(1.5) parcel(1) 1.0
 put(1.5) weight(5) 251.0
 put(1.6) parcel(1) 1.0
 put(1.6) weight(6) 251.0
 put(1.7) parcel(1) 1.0
 put(1.7) weight(7) 251.0
 put(1.8) parcel(1) 1.0
 put(1.8) weight(8) 251.0
 put(1.9) parcel(1) 1.0
 put(1.9) weight(9) 251.0
 put(1.10) parcel(1) 1.0
 put(1.10) weight(10) 251.0
 put(1.11) parcel(1) 1.0
 put(1.11) weight(11) 251.0
 put(1.12) parcel(1) 1.0
 put(1.12) weight(12) 251.0
 put(1.13) parcel(1) 1.0
 put(1.13) weight(13) 251.0
 put(1.14) parcel(1) 1.0
 put(1.14) weight(14) 251.0
 put(1.15) parcel(1) 1.0
 put(1.15) weight(15) 251.0
 put(1.16) parcel(1) 1.0
 put(1.16) weight(16) 251.0
 put(1.17) parcel(1) 1.0
 put(1.17) weight(17) 251.0
 put(1.18) parcel(1) 1.0
 put(1.18) weight(18) 251.0
 put(1.19) parcel(1) 1.0
 put(1.19) weight(19) 251.0
 put(1.20) parcel(1) 1.0
 put(1.20) weight(20) 251.0
 put(1.21) parcel(1) 1.0
 put(1.21) weight(21) 251.0
 put(1.22) parcel(1) 1.0
 put(1.22) weight(22) 251.0
 put(1.23) parcel(1) 1.0
 put(1.23) weight(23) 251.0
 put(2.0) parcel(2) 1.0
 put(2.0) weight(0) 295.0
 put(2.1) parcel(2) 1.0
 put(2.1) weight(1) 295.0
 put(2.2) parcel(2) 1.0
 put(2.2) weight(2) 295.0
 put(2.3) parcel(2) 1.0
 put(2.3) weight(3) 295.0
 put(2.4) parcel(2) 1.0
 put(2.4) weight(4) 295.0
 put(2.5) parcel(2) 1.0
 put(2.5) weight(5) 295.0
 put(2.6) parcel(2) 1.0
 put(2.6) weight(6) 295.0
 put(2.7) parcel(2) 1.0
 put(2.7) weight(7) 295.0
 put(2.8) parcel(2) 1.0
 put(2.8) weight(8) 295.0
 put(2.9) parcel(2) 1.0
 put(2.9) weight(9) 295.0
 put(2.10) parcel(2) 1.0
 put(2.10) weight(10) 295.0
 put(2.11) parcel(2) 1.0
 put(2.11) weight(11) 295.0
 put(2.12) parcel(2) 1.0
 put(2.12) weight(12) 295.0
 put(2.13) parcel(2) 1.0
 put(2.13) weight(13) 295.0
 put(2.14) parcel(2) 1.0
 put(2.14) weight(14) 295.0
 put(2.15) parcel(2) 1.0
 put(2.15) weight(15) 295.0
 put(2.16) parcel(2) 1.0
 put(2.16) weight(16) 295.0
 put(2.17) parcel(2) 1.0
 put(2.17) weight(17) 295.0
 put(2.18) parcel(2) 1.0
 put(2.18) weight(18) 295.0
 put(2.19) parcel(2) 1.0
 put(2.19) weight(19) 295.0
 put(2.20) parcel(2) 1.0
 put(2.20) weight(20) 295.0
 put(2.21) parcel(2) 1.0
 put(2.21) weight(21) 295.0
 put(2.22) parcel(2) 1.0
 put(2.22) weight(22) 295.0
 put(2.23) parcel(2) 1.0
 put(2.23) weight(23) 295.0
 put(3.0) parcel(3) 1.0
 put(3.0) weight(0) 306.0
 put(3.1) parcel(3) 1.0
 put(3.1) weight(1) 306.0
 put(3.2) parcel(3) 1.0
 put(3.2) weight(2) 306.0
 put(3.3) parcel(3) 1.0
 put(3.3) weight(3) 306.0
 put(3.4) parcel(3) 1.0
 put(3.4) weight(4) 306.0
 put(3.5) parcel(3) 1.0
 put(3.5) weight(5) 306.0
 put(3.6) parcel(3) 1.0
 put(3.6) weight(6) 306.0
 put(3.7) parcel(3) 1.0
 put(3.7) weight(7) 306.0
 put(3.8) parcel(3) 1.0
 put(3.8) weight(8) 306.0
 put(3.9) parcel(3) 1.0
 put(3.9) weight(9) 306.0
 put(3.10) parcel(3) 1.0
 put(3.10) weight(10) 306.0
 put(3.11) parcel(3) 1.0
 put(3.11) weight(11) 306.0
 put(3.12) parcel(3) 1.0
 put(3.12) weight(12) 306.0
 put(3.13) parcel(3) 1.0
 put(3.13) weight(13) 306.0
 put(3.14) parcel(3) 1.0
 put(3.14) weight(14) 306.0
 put(3.15) parcel(3) 1.0
 put(3.15) weight(15) 306.0
 put(3.16) parcel(3) 1.0
 put(3.16) weight(16) 306.0
 put(3.17) parcel(3) 1.0
 put(3.17) weight(17) 306.0
 put(3.18) parcel(3) 1.0
 put(3.18) weight(18) 306.0
 put(3.19) parcel(3) 1.0
 put(3.19) weight(19) 306.0
 put(3.20) parcel(3) 1.0
 put(3.20) weight(20) 306.0
 put(3.21) parcel(3) 1.0
 put(3.21) weight(21) 306.0
 put(3.22) parcel(3) 1.0
 put(3.22) weight(22) 306.0
 put(3.23) parcel(3) 1.0
 put(3.23) weight(23) 306.0
 put(4.0) parcel(4) 1.0
 put(4.0) weight(0) 270.0
 put(4.1) parcel(4) 1.0
 put(4.1) weight(1) 270.0
 put(4.2) parcel(4) 1.0
 put(4.2) weight(2) 270.0
 put(4.3) parcel(4) 1.0
 put(4.3) weight(3) 270.0
 put(4.4) parcel(4) 1.0
 put(4.4) weight(4) 270.0
 put(4.5) parcel(4) 1.0
 put(4.5) weight(5) 270.0
 put(4.6) parcel(4) 1.0
 put(4.6) weight(6) 270.0
 put(4.7) parcel(4) 1.0
 put(4.7) weight(7) 270.0
 put(4.8) parcel(4) 1.0
 put(4.8) weight(8) 270.0
 put(4.9) parcel(4) 1.0
 put(4.9) weight(9) 270.0
 put(4.10) parcel(4) 1.0
 put(4.10) weight(10) 270.0
 put(4.11) parcel(4) 1.0
 put(4.11) weight(11) 270.0
 put(4.12) parcel(4) 1.0
 put(4.12) weight(12) 270.0
 put(4.13) parcel(4) 1.0
 put(4.13) weight(13) 270.0
 put(4.14) parcel(4) 1.0
 put(4.14) weight(14) 270.0
 put(4.15) parcel(4) 1.0
 put(4.15) weight(15) 270.0
 put(4.16) parcel(4) 1.0
 put(4.16) weight(16) 270.0
 put(4.17) parcel(4) 1.0
 put(4.17) weight(17) 270.0
 put(4.18) parcel(4) 1.0
 put(4.18) weight(18) 270.0
 put(4.19) parcel(4) 1.0
 put(4.19) weight(19) 270.0
 put(4.20) parcel(4) 1.0
 put(4.20) weight(20) 270.0
 put(4.21) parcel(4) 1.0
 put(4.21) weight(21) 270.0
 put(4.22) parcel(4) 1.0
 put(4.22) weight(22) 270.0
 put(4.23) parcel(4) 1.0
 put(4.23) weight(23) 270.0
 put(5.0) parcel(5) 1.0
 put(5.0) weight(0) 464.0
 put(5.1) parcel(5) 1.0
 put(5.1) weight(1) 464.0
 put(5.2) parcel(5) 1.0
 put(5.2) weight(2) 464.0
 put(5.3) parcel(5) 1.0
 put(5.3) weight(3) 464.0
 put(5.4) parcel(5) 1.0
 put(5.4) weight(4) 464.0
 put(5.5) parcel(5) 1.0
 put(5.5) weight(5) 464.0
 put(5.6) parcel(5) 1.0
 put(5.6) weight(6) 464.0
 put(5.7) parcel(5) 1.0
 put(5.7) weight(7) 464.0
 put(5.8) parcel(5) 1.0
 put(5.8) weight(8) 464.0
 put(5.9) parcel(5) 1.0
 put(5.9) weight(9) 464.0
 put(5.10) parcel(5) 1.0
 put(5.10) weight(10) 464.0
 put(5.11) parcel(5) 1.0
 put(5.11) weight(11) 464.0
 put(5.12) parcel(5) 1.0
 put(5.12) weight(12) 464.0
 put(5.13) parcel(5) 1.0
 put(5.13) weight(13) 464.0
 put(5.14) parcel(5) 1.0
 put(5.14) weight(14) 464.0
 put(5.15) parcel(5) 1.0
 put(5.15) weight(15) 464.0
 put(5.16) parcel(5) 1.0
 put(5.16) weight(16) 464.0
 put(5.17) parcel(5) 1.0
 put(5.17) weight(17) 464.0
 put(5.18) parcel(5) 1.0
 put(5.18) weight(18) 464.0
 put(5.19) parcel(5) 1.0
 put(5.19) weight(19) 464.0
 put(5.20) parcel(5) 1.0
 put(5.20) weight(20) 464.0
 put(5.21) parcel(5) 1.0
 put(5.21) weight(21) 464.0
 put(5.22) parcel(5) 1.0
 put(5.22) weight(22) 464.0
 put(5.23) parcel(5) 1.0
 put(5.23) weight(23) 464.0
 put(6.0) parcel(6) 1.0
 put(6.0) weight(0) 362.0
 put(6.1) parcel(6) 1.0
 put(6.1) weight(1) 362.0
 put(6.2) parcel(6) 1.0
 put(6.2) weight(2) 362.0
 put(6.3) parcel(6) 1.0
 put(6.3) weight(3) 362.0
 put(6.4) parcel(6) 1.0
 put(6.4) weight(4) 362.0
 put(6.5) parcel(6) 1.0
 put(6.5) weight(5) 362.0
 put(6.6) parcel(6) 1.0
 put(6.6) weight(6) 362.0
 put(6.7) parcel(6) 1.0
 put(6.7) weight(7) 362.0
 put(6.8) parcel(6) 1.0
 put(6.8) weight(8) 362.0
 put(6.9) parcel(6) 1.0
 put(6.9) weight(9) 362.0
 put(6.10) parcel(6) 1.0
 put(6.10) weight(10) 362.0
 put(6.11) parcel(6) 1.0
 put(6.11) weight(11) 362.0
 put(6.12) parcel(6) 1.0
 put(6.12) weight(12) 362.0
 put(6.13) parcel(6) 1.0
 put(6.13) weight(13) 362.0
 put(6.14) parcel(6) 1.0
 put(6.14) weight(14) 362.0
 put(6.15) parcel(6) 1.0
 put(6.15) weight(15) 362.0
 put(6.16) parcel(6) 1.0
 put(6.16) weight(16) 362.0
 put(6.17) parcel(6) 1.0
 put(6.17) weight(17) 362.0
 put(6.18) parcel(6) 1.0
 put(6.18) weight(18) 362.0
 put(6.19) parcel(6) 1.0
 put(6.19) weight(19) 362.0
 put(6.20) parcel(6) 1.0
 put(6.20) weight(20) 362.0
 put(6.21) parcel(6) 1.0
 put(6.21) weight(21) 362.0
 put(6.22) parcel(6) 1.0
 put(6.22) weight(22) 362.0
 put(6.23) parcel(6) 1.0
 put(6.23) weight(23) 362.0
 put(7.0) parcel(7) 1.0
 put(7.0) weight(0) 294.0
 put(7.1) parcel(7) 1.0
 put(7.1) weight(1) 294.0
 put(7.2) parcel(7) 1.0
 put(7.2) weight(2) 294.0
 put(7.3) parcel(7) 1.0
 put(7.3) weight(3) 294.0
 put(7.4) parcel(7) 1.0
 put(7.4) weight(4) 294.0
 put(7.5) parcel(7) 1.0
 put(7.5) weight(5) 294.0
 put(7.6) parcel(7) 1.0
 put(7.6) weight(6) 294.0
 put(7.7) parcel(7) 1.0
 put(7.7) weight(7) 294.0
 put(7.8) parcel(7) 1.0
 put(7.8) weight(8) 294.0
 put(7.9) parcel(7) 1.0
 put(7.9) weight(9) 294.0
 put(7.10) parcel(7) 1.0
 put(7.10) weight(10) 294.0
 put(7.11) parcel(7) 1.0
 put(7.11) weight(11) 294.0
 put(7.12) parcel(7) 1.0
 put(7.12) weight(12) 294.0
 put(7.13) parcel(7) 1.0
 put(7.13) weight(13) 294.0
 put(7.14) parcel(7) 1.0
 put(7.14) weight(14) 294.0
 put(7.15) parcel(7) 1.0
 put(7.15) weight(15) 294.0
 put(7.16) parcel(7) 1.0
 put(7.16) weight(16) 294.0
 put(7.17) parcel(7) 1.0
 put(7.17) weight(17) 294.0
 put(7.18) parcel(7) 1.0
 put(7.18) weight(18) 294.0
 put(7.19) parcel(7) 1.0
 put(7.19) weight(19) 294.0
 put(7.20) parcel(7) 1.0
 put(7.20) weight(20) 294.0
 put(7.21) parcel(7) 1.0
 put(7.21) weight(21) 294.0
 put(7.22) parcel(7) 1.0
 put(7.22) weight(22) 294.0
 put(7.23) parcel(7) 1.0
 put(7.23) weight(23) 294.0
 put(8.0) parcel(8) 1.0
 put(8.0) weight(0) 280.0
 put(8.1) parcel(8) 1.0
 put(8.1) weight(1) 280.0
 put(8.2) parcel(8) 1.0
 put(8.2) weight(2) 280.0
 put(8.3) parcel(8) 1.0
 put(8.3) weight(3) 280.0
 put(8.4) parcel(8) 1.0
 put(8.4) weight(4) 280.0
 put(8.5) parcel(8) 1.0
 put(8.5) weight(5) 280.0
 put(8.6) parcel(8) 1.0
 put(8.6) weight(6) 280.0
 put(8.7) parcel(8) 1.0
 put(8.7) weight(7) 280.0
 put(8.8) parcel(8) 1.0
 put(8.8) weight(8) 280.0
 put(8.9) parcel(8) 1.0
 put(8.9) weight(9) 280.0
 put(8.10) parcel(8) 1.0
 put(8.10) weight(10) 280.0
 put(8.11) parcel(8) 1.0
 put(8.11) weight(11) 280.0
 put(8.12) parcel(8) 1.0
 put(8.12) weight(12) 280.0
 put(8.13) parcel(8) 1.0
 put(8.13) weight(13) 280.0
 put(8.14) parcel(8) 1.0
 put(8.14) weight(14) 280.0
 put(8.15) parcel(8) 1.0
 put(8.15) weight(15) 280.0
 put(8.16) parcel(8) 1.0
 put(8.16) weight(16) 280.0
 put(8.17) parcel(8) 1.0
 put(8.17) weight(17) 280.0
 put(8.18) parcel(8) 1.0
 put(8.18) weight(18) 280.0
 put(8.19) parcel(8) 1.0
 put(8.19) weight(19) 280.0
 put(8.20) parcel(8) 1.0
 put(8.20) weight(20) 280.0
 put(8.21) parcel(8) 1.0
 put(8.21) weight(21) 280.0
 put(8.22) parcel(8) 1.0
 put(8.22) weight(22) 280.0
 put(8.23) parcel(8) 1.0
 put(8.23) weight(23) 280.0
 put(9.0) parcel(9) 1.0
 put(9.0) weight(0) 272.0
 put(9.1) parcel(9) 1.0
 put(9.1) weight(1) 272.0
 put(9.2) parcel(9) 1.0
 put(9.2) weight(2) 272.0
 put(9.3) parcel(9) 1.0
 put(9.3) weight(3) 272.0
 put(9.4) parcel(9) 1.0
 put(9.4) weight(4) 272.0
 put(9.5) parcel(9) 1.0
 put(9.5) weight(5) 272.0
 put(9.6) parcel(9) 1.0
 put(9.6) weight(6) 272.0
 put(9.7) parcel(9) 1.0
 put(9.7) weight(7) 272.0
 put(9.8) parcel(9) 1.0
 put(9.8) weight(8) 272.0
 put(9.9) parcel(9) 1.0
 put(9.9) weight(9) 272.0
 put(9.10) parcel(9) 1.0
 put(9.10) weight(10) 272.0
 put(9.11) parcel(9) 1.0
 put(9.11) weight(11) 272.0
 put(9.12) parcel(9) 1.0
 put(9.12) weight(12) 272.0
 put(9.13) parcel(9) 1.0
 put(9.13) weight(13) 272.0
 put(9.14) parcel(9) 1.0
 put(9.14) weight(14) 272.0
 put(9.15) parcel(9) 1.0
 put(9.15) weight(15) 272.0
 put(9.16) parcel(9) 1.0
 put(9.16) weight(16) 272.0
 put(9.17) parcel(9) 1.0
 put(9.17) weight(17) 272.0
 put(9.18) parcel(9) 1.0
 put(9.18) weight(18) 272.0
 put(9.19) parcel(9) 1.0
 put(9.19) weight(19) 272.0
 put(9.20) parcel(9) 1.0
 put(9.20) weight(20) 272.0
 put(9.21) parcel(9) 1.0
 put(9.21) weight(21) 272.0
 put(9.22) parcel(9) 1.0
 put(9.22) weight(22) 272.0
 put(9.23) parcel(9) 1.0
 put(9.23) weight(23) 272.0
 put(10.0) parcel(10) 1.0
 put(10.0) weight(0) 388.0
 put(10.1) parcel(10) 1.0
 put(10.1) weight(1) 388.0
 put(10.2) parcel(10) 1.0
 put(10.2) weight(2) 388.0
 put(10.3) parcel(10) 1.0
 put(10.3) weight(3) 388.0
 put(10.4) parcel(10) 1.0
 put(10.4) weight(4) 388.0
 put(10.5) parcel(10) 1.0
 put(10.5) weight(5) 388.0
 put(10.6) parcel(10) 1.0
 put(10.6) weight(6) 388.0
 put(10.7) parcel(10) 1.0
 put(10.7) weight(7) 388.0
 put(10.8) parcel(10) 1.0
 put(10.8) weight(8) 388.0
 put(10.9) parcel(10) 1.0
 put(10.9) weight(9) 388.0
 put(10.10) parcel(10) 1.0
 put(10.10) weight(10) 388.0
 put(10.11) parcel(10) 1.0
 put(10.11) weight(11) 388.0
 put(10.12) parcel(10) 1.0
 put(10.12) weight(12) 388.0
 put(10.13) parcel(10) 1.0
 put(10.13) weight(13) 388.0
 put(10.14) parcel(10) 1.0
 put(10.14) weight(14) 388.0
 put(10.15) parcel(10) 1.0
 put(10.15) weight(15) 388.0
 put(10.16) parcel(10) 1.0
 put(10.16) weight(16) 388.0
 put(10.17) parcel(10) 1.0
 put(10.17) weight(17) 388.0
 put(10.18) parcel(10) 1.0
 put(10.18) weight(18) 388.0
 put(10.19) parcel(10) 1.0
 put(10.19) weight(19) 388.0
 put(10.20) parcel(10) 1.0
 put(10.20) weight(20) 388.0
 put(10.21) parcel(10) 1.0
 put(10.21) weight(21) 388.0
 put(10.22) parcel(10) 1.0
 put(10.22) weight(22) 388.0
 put(10.23) parcel(10) 1.0
 put(10.23) weight(23) 388.0
 put(11.0) parcel(11) 1.0
 put(11.0) weight(0) 291.0
 put(11.1) parcel(11) 1.0
 put(11.1) weight(1) 291.0
 put(11.2) parcel(11) 1.0
 put(11.2) weight(2) 291.0
 put(11.3) parcel(11) 1.0
 put(11.3) weight(3) 291.0
 put(11.4) parcel(11) 1.0
 put(11.4) weight(4) 291.0
 put(11.5) parcel(11) 1.0
 put(11.5) weight(5) 291.0
 put(11.6) parcel(11) 1.0
 put(11.6) weight(6) 291.0
 put(11.7) parcel(11) 1.0
 put(11.7) weight(7) 291.0
 put(11.8) parcel(11) 1.0
 put(11.8) weight(8) 291.0
 put(11.9) parcel(11) 1.0
 put(11.9) weight(9) 291.0
 put(11.10) parcel(11) 1.0
 put(11.10) weight(10) 291.0
 put(11.11) parcel(11) 1.0
 put(11.11) weight(11) 291.0
 put(11.12) parcel(11) 1.0
 put(11.12) weight(12) 291.0
 put(11.13) parcel(11) 1.0
 put(11.13) weight(13) 291.0
 put(11.14) parcel(11) 1.0
 put(11.14) weight(14) 291.0
 put(11.15) parcel(11) 1.0
 put(11.15) weight(15) 291.0
 put(11.16) parcel(11) 1.0
 put(11.16) weight(16) 291.0
 put(11.17) parcel(11) 1.0
 put(11.17) weight(17) 291.0
 put(11.18) parcel(11) 1.0
 put(11.18) weight(18) 291.0
 put(11.19) parcel(11) 1.0
 put(11.19) weight(19) 291.0
 put(11.20) parcel(11) 1.0
 put(11.20) weight(20) 291.0
 put(11.21) parcel(11) 1.0
 put(11.21) weight(21) 291.0
 put(11.22) parcel(11) 1.0
 put(11.22) weight(22) 291.0
 put(11.23) parcel(11) 1.0
 put(11.23) weight(23) 291.0
 put(12.0) parcel(12) 1.0
 put(12.0) weight(0) 388.0
 put(12.1) parcel(12) 1.0
 put(12.1) weight(1) 388.0
 put(12.2) parcel(12) 1.0
 put(12.2) weight(2) 388.0
 put(12.3) parcel(12) 1.0
 put(12.3) weight(3) 388.0
 put(12.4) parcel(12) 1.0
 put(12.4) weight(4) 388.0
 put(12.5) parcel(12) 1.0
 put(12.5) weight(5) 388.0
 put(12.6) parcel(12) 1.0
 put(12.6) weight(6) 388.0
 put(12.7) parcel(12) 1.0
 put(12.7) weight(7) 388.0
 put(12.8) parcel(12) 1.0
 put(12.8) weight(8) 388.0
 put(12.9) parcel(12) 1.0
 put(12.9) weight(9) 388.0
 put(12.10) parcel(12) 1.0
 put(12.10) weight(10) 388.0
 put(12.11) parcel(12) 1.0
 put(12.11) weight(11) 388.0
 put(12.12) parcel(12) 1.0
 put(12.12) weight(12) 388.0
 put(12.13) parcel(12) 1.0
 put(12.13) weight(13) 388.0
 put(12.14) parcel(12) 1.0
 put(12.14) weight(14) 388.0
 put(12.15) parcel(12) 1.0
 put(12.15) weight(15) 388.0
 put(12.16) parcel(12) 1.0
 put(12.16) weight(16) 388.0
 put(12.17) parcel(12) 1.0
 put(12.17) weight(17) 388.0
 put(12.18) parcel(12) 1.0
 put(12.18) weight(18) 388.0
 put(12.19) parcel(12) 1.0
 put(12.19) weight(19) 388.0
 put(12.20) parcel(12) 1.0
 put(12.20) weight(20) 388.0
 put(12.21) parcel(12) 1.0
 put(12.21) weight(21) 388.0
 put(12.22) parcel(12) 1.0
 put(12.22) weight(22) 388.0
 put(12.23) parcel(12) 1.0
 put(12.23) weight(23) 388.0
 put(13.0) parcel(13) 1.0
 put(13.0) weight(0) 287.0
 put(13.1) parcel(13) 1.0
 put(13.1) weight(1) 287.0
 put(13.2) parcel(13) 1.0
 put(13.2) weight(2) 287.0
 put(13.3) parcel(13) 1.0
 put(13.3) weight(3) 287.0
 put(13.4) parcel(13) 1.0
 put(13.4) weight(4) 287.0
 put(13.5) parcel(13) 1.0
 put(13.5) weight(5) 287.0
 put(13.6) parcel(13) 1.0
 put(13.6) weight(6) 287.0
 put(13.7) parcel(13) 1.0
 put(13.7) weight(7) 287.0
 put(13.8) parcel(13) 1.0
 put(13.8) weight(8) 287.0
 put(13.9) parcel(13) 1.0
 put(13.9) weight(9) 287.0
 put(13.10) parcel(13) 1.0
 put(13.10) weight(10) 287.0
 put(13.11) parcel(13) 1.0
 put(13.11) weight(11) 287.0
 put(13.12) parcel(13) 1.0
 put(13.12) weight(12) 287.0
 put(13.13) parcel(13) 1.0
 put(13.13) weight(13) 287.0
 put(13.14) parcel(13) 1.0
 put(13.14) weight(14) 287.0
 put(13.15) parcel(13) 1.0
 put(13.15) weight(15) 287.0
 put(13.16) parcel(13) 1.0
 put(13.16) weight(16) 287.0
 put(13.17) parcel(13) 1.0
 put(13.17) weight(17) 287.0
 put(13.18) parcel(13) 1.0
 put(13.18) weight(18) 287.0
 put(13.19) parcel(13) 1.0
 put(13.19) weight(19) 287.0
 put(13.20) parcel(13) 1.0
 put(13.20) weight(20) 287.0
 put(13.21) parcel(13) 1.0
 put(13.21) weight(21) 287.0
 put(13.22) parcel(13) 1.0
 put(13.22) weight(22) 287.0
 put(13.23) parcel(13) 1.0
 put(13.23) weight(23) 287.0
 put(14.0) parcel(14) 1.0
 put(14.0) weight(0) 335.0
 put(14.1) parcel(14) 1.0
 put(14.1) weight(1) 335.0
 put(14.2) parcel(14) 1.0
 put(14.2) weight(2) 335.0
 put(14.3) parcel(14) 1.0
 put(14.3) weight(3) 335.0
 put(14.4) parcel(14) 1.0
 put(14.4) weight(4) 335.0
 put(14.5) parcel(14) 1.0
 put(14.5) weight(5) 335.0
 put(14.6) parcel(14) 1.0
 put(14.6) weight(6) 335.0
 put(14.7) parcel(14) 1.0
 put(14.7) weight(7) 335.0
 put(14.8) parcel(14) 1.0
 put(14.8) weight(8) 335.0
 put(14.9) parcel(14) 1.0
 put(14.9) weight(9) 335.0
 put(14.10) parcel(14) 1.0
 put(14.10) weight(10) 335.0
 put(14.11) parcel(14) 1.0
 put(14.11) weight(11) 335.0
 put(14.12) parcel(14) 1.0
 put(14.12) weight(12) 335.0
 put(14.13) parcel(14) 1.0
 put(14.13) weight(13) 335.0
 put(14.14) parcel(14) 1.0
 put(14.14) weight(14) 335.0
 put(14.15) parcel(14) 1.0
 put(14.15) weight(15) 335.0
 put(14.16) parcel(14) 1.0
 put(14.16) weight(16) 335.0
 put(14.17) parcel(14) 1.0
 put(14.17) weight(17) 335.0
 put(14.18) parcel(14) 1.0
 put(14.18) weight(18) 335.0
 put(14.19) parcel(14) 1.0
 put(14.19) weight(19) 335.0
 put(14.20) parcel(14) 1.0
 put(14.20) weight(20) 335.0
 put(14.21) parcel(14) 1.0
 put(14.21) weight(21) 335.0
 put(14.22) parcel(14) 1.0
 put(14.22) weight(22) 335.0
 put(14.23) parcel(14) 1.0
 put(14.23) weight(23) 335.0
 put(15.0) parcel(15) 1.0
 put(15.0) weight(0) 345.0
 put(15.1) parcel(15) 1.0
 put(15.1) weight(1) 345.0
 put(15.2) parcel(15) 1.0
 put(15.2) weight(2) 345.0
 put(15.3) parcel(15) 1.0
 put(15.3) weight(3) 345.0
 put(15.4) parcel(15) 1.0
 put(15.4) weight(4) 345.0
 put(15.5) parcel(15) 1.0
 put(15.5) weight(5) 345.0
 put(15.6) parcel(15) 1.0
 put(15.6) weight(6) 345.0
 put(15.7) parcel(15) 1.0
 put(15.7) weight(7) 345.0
 put(15.8) parcel(15) 1.0
 put(15.8) weight(8) 345.0
 put(15.9) parcel(15) 1.0
 put(15.9) weight(9) 345.0
 put(15.10) parcel(15) 1.0
 put(15.10) weight(10) 345.0
 put(15.11) parcel(15) 1.0
 put(15.11) weight(11) 345.0
 put(15.12) parcel(15) 1.0
 put(15.12) weight(12) 345.0
 put(15.13) parcel(15) 1.0
 put(15.13) weight(13) 345.0
 put(15.14) parcel(15) 1.0
 put(15.14) weight(14) 345.0
 put(15.15) parcel(15) 1.0
 put(15.15) weight(15) 345.0
 put(15.16) parcel(15) 1.0
 put(15.16) weight(16) 345.0
 put(15.17) parcel(15) 1.0
 put(15.17) weight(17) 345.0
 put(15.18) parcel(15) 1.0
 put(15.18) weight(18) 345.0
 put(15.19) parcel(15) 1.0
 put(15.19) weight(19) 345.0
 put(15.20) parcel(15) 1.0
 put(15.20) weight(20) 345.0
 put(15.21) parcel(15) 1.0
 put(15.21) weight(21) 345.0
 put(15.22) parcel(15) 1.0
 put(15.22) weight(22) 345.0
 put(15.23) parcel(15) 1.0
 put(15.23) weight(23) 345.0
 put(16.0) parcel(16) 1.0
 put(16.0) weight(0) 310.0
 put(16.1) parcel(16) 1.0
 put(16.1) weight(1) 310.0
 put(16.2) parcel(16) 1.0
 put(16.2) weight(2) 310.0
 put(16.3) parcel(16) 1.0
 put(16.3) weight(3) 310.0
 put(16.4) parcel(16) 1.0
 put(16.4) weight(4) 310.0
 put(16.5) parcel(16) 1.0
 put(16.5) weight(5) 310.0
 put(16.6) parcel(16) 1.0
 put(16.6) weight(6) 310.0
 put(16.7) parcel(16) 1.0
 put(16.7) weight(7) 310.0
 put(16.8) parcel(16) 1.0
 put(16.8) weight(8) 310.0
 put(16.9) parcel(16) 1.0
 put(16.9) weight(9) 310.0
 put(16.10) parcel(16) 1.0
 put(16.10) weight(10) 310.0
 put(16.11) parcel(16) 1.0
 put(16.11) weight(11) 310.0
 put(16.12) parcel(16) 1.0
 put(16.12) weight(12) 310.0
 put(16.13) parcel(16) 1.0
 put(16.13) weight(13) 310.0
 put(16.14) parcel(16) 1.0
 put(16.14) weight(14) 310.0
 put(16.15) parcel(16) 1.0
 put(16.15) weight(15) 310.0
 put(16.16) parcel(16) 1.0
 put(16.16) weight(16) 310.0
 put(16.17) parcel(16) 1.0
 put(16.17) weight(17) 310.0
 put(16.18) parcel(16) 1.0
 put(16.18) weight(18) 310.0
 put(16.19) parcel(16) 1.0
 put(16.19) weight(19) 310.0
 put(16.20) parcel(16) 1.0
 put(16.20) weight(20) 310.0
 put(16.21) parcel(16) 1.0
 put(16.21) weight(21) 310.0
 put(16.22) parcel(16) 1.0
 put(16.22) weight(22) 310.0
 put(16.23) parcel(16) 1.0
 put(16.23) weight(23) 310.0
 put(17.0) parcel(17) 1.0
 put(17.0) weight(0) 250.0
 put(17.1) parcel(17) 1.0
 put(17.1) weight(1) 250.0
 put(17.2) parcel(17) 1.0
 put(17.2) weight(2) 250.0
 put(17.3) parcel(17) 1.0
 put(17.3) weight(3) 250.0
 put(17.4) parcel(17) 1.0
 put(17.4) weight(4) 250.0
 put(17.5) parcel(17) 1.0
 put(17.5) weight(5) 250.0
 put(17.6) parcel(17) 1.0
 put(17.6) weight(6) 250.0
 put(17.7) parcel(17) 1.0
 put(17.7) weight(7) 250.0
 put(17.8) parcel(17) 1.0
 put(17.8) weight(8) 250.0
 put(17.9) parcel(17) 1.0
 put(17.9) weight(9) 250.0
 put(17.10) parcel(17) 1.0
 put(17.10) weight(10) 250.0
 put(17.11) parcel(17) 1.0
 put(17.11) weight(11) 250.0
 put(17.12) parcel(17) 1.0
 put(17.12) weight(12) 250.0
 put(17.13) parcel(17) 1.0
 put(17.13) weight(13) 250.0
 put(17.14) parcel(17) 1.0
 put(17.14) weight(14) 250.0
 put(17.15) parcel(17) 1.0
 put(17.15) weight(15) 250.0
 put(17.16) parcel(17) 1.0
 put(17.16) weight(16) 250.0
 put(17.17) parcel(17) 1.0
 put(17.17) weight(17) 250.0
 put(17.18) parcel(17) 1.0
 put(17.18) weight(18) 250.0
 put(17.19) parcel(17) 1.0
 put(17.19) weight(19) 250.0
 put(17.20) parcel(17) 1.0
 put(17.20) weight(20) 250.0
 put(17.21) parcel(17) 1.0
 put(17.21) weight(21) 250.0
 put(17.22) parcel(17) 1.0
 put(17.22) weight(22) 250.0
 put(17.23) parcel(17) 1.0
 put(17.23) weight(23) 250.0
 put(18.0) parcel(18) 1.0
 put(18.0) weight(0) 454.0
 put(18.1) parcel(18) 1.0
 put(18.1) weight(1) 454.0
 put(18.2) parcel(18) 1.0
 put(18.2) weight(2) 454.0
 put(18.3) parcel(18) 1.0
 put(18.3) weight(3) 454.0
 put(18.4) parcel(18) 1.0
 put(18.4) weight(4) 454.0
 put(18.5) parcel(18) 1.0
 put(18.5) weight(5) 454.0
 put(18.6) parcel(18) 1.0
 put(18.6) weight(6) 454.0
 put(18.7) parcel(18) 1.0
 put(18.7) weight(7) 454.0
 put(18.8) parcel(18) 1.0
 put(18.8) weight(8) 454.0
 put(18.9) parcel(18) 1.0
 put(18.9) weight(9) 454.0
 put(18.10) parcel(18) 1.0
 put(18.10) weight(10) 454.0
 put(18.11) parcel(18) 1.0
 put(18.11) weight(11) 454.0
 put(18.12) parcel(18) 1.0
 put(18.12) weight(12) 454.0
 put(18.13) parcel(18) 1.0
 put(18.13) weight(13) 454.0
 put(18.14) parcel(18) 1.0
 put(18.14) weight(14) 454.0
 put(18.15) parcel(18) 1.0
 put(18.15) weight(15) 454.0
 put(18.16) parcel(18) 1.0
 put(18.16) weight(16) 454.0
 put(18.17) parcel(18) 1.0
 put(18.17) weight(17) 454.0
 put(18.18) parcel(18) 1.0
 put(18.18) weight(18) 454.0
 put(18.19) parcel(18) 1.0
 put(18.19) weight(19) 454.0
 put(18.20) parcel(18) 1.0
 put(18.20) weight(20) 454.0
 put(18.21) parcel(18) 1.0
 put(18.21) weight(21) 454.0
 put(18.22) parcel(18) 1.0
 put(18.22) weight(22) 454.0
 put(18.23) parcel(18) 1.0
 put(18.23) weight(23) 454.0
 put(19.0) parcel(19) 1.0
 put(19.0) weight(0) 258.0
 put(19.1) parcel(19) 1.0
 put(19.1) weight(1) 258.0
 put(19.2) parcel(19) 1.0
 put(19.2) weight(2) 258.0
 put(19.3) parcel(19) 1.0
 put(19.3) weight(3) 258.0
 put(19.4) parcel(19) 1.0
 put(19.4) weight(4) 258.0
 put(19.5) parcel(19) 1.0
 put(19.5) weight(5) 258.0
 put(19.6) parcel(19) 1.0
 put(19.6) weight(6) 258.0
 put(19.7) parcel(19) 1.0
 put(19.7) weight(7) 258.0
 put(19.8) parcel(19) 1.0
 put(19.8) weight(8) 258.0
 put(19.9) parcel(19) 1.0
 put(19.9) weight(9) 258.0
 put(19.10) parcel(19) 1.0
 put(19.10) weight(10) 258.0
 put(19.11) parcel(19) 1.0
 put(19.11) weight(11) 258.0
 put(19.12) parcel(19) 1.0
 put(19.12) weight(12) 258.0
 put(19.13) parcel(19) 1.0
 put(19.13) weight(13) 258.0
 put(19.14) parcel(19) 1.0
 put(19.14) weight(14) 258.0
 put(19.15) parcel(19) 1.0
 put(19.15) weight(15) 258.0
 put(19.16) parcel(19) 1.0
 put(19.16) weight(16) 258.0
 put(19.17) parcel(19) 1.0
 put(19.17) weight(17) 258.0
 put(19.18) parcel(19) 1.0
 put(19.18) weight(18) 258.0
 put(19.19) parcel(19) 1.0
 put(19.19) weight(19) 258.0
 put(19.20) parcel(19) 1.0
 put(19.20) weight(20) 258.0
 put(19.21) parcel(19) 1.0
 put(19.21) weight(21) 258.0
 put(19.22) parcel(19) 1.0
 put(19.22) weight(22) 258.0
 put(19.23) parcel(19) 1.0
 put(19.23) weight(23) 258.0
 put(20.0) parcel(20) 1.0
 put(20.0) weight(0) 252.0
 put(20.1) parcel(20) 1.0
 put(20.1) weight(1) 252.0
 put(20.2) parcel(20) 1.0
 put(20.2) weight(2) 252.0
 put(20.3) parcel(20) 1.0
 put(20.3) weight(3) 252.0
 put(20.4) parcel(20) 1.0
 put(20.4) weight(4) 252.0
 put(20.5) parcel(20) 1.0
 put(20.5) weight(5) 252.0
 put(20.6) parcel(20) 1.0
 put(20.6) weight(6) 252.0
 put(20.7) parcel(20) 1.0
 put(20.7) weight(7) 252.0
 put(20.8) parcel(20) 1.0
 put(20.8) weight(8) 252.0
 put(20.9) parcel(20) 1.0
 put(20.9) weight(9) 252.0
 put(20.10) parcel(20) 1.0
 put(20.10) weight(10) 252.0
 put(20.11) parcel(20) 1.0
 put(20.11) weight(11) 252.0
 put(20.12) parcel(20) 1.0
 put(20.12) weight(12) 252.0
 put(20.13) parcel(20) 1.0
 put(20.13) weight(13) 252.0
 put(20.14) parcel(20) 1.0
 put(20.14) weight(14) 252.0
 put(20.15) parcel(20) 1.0
 put(20.15) weight(15) 252.0
 put(20.16) parcel(20) 1.0
 put(20.16) weight(16) 252.0
 put(20.17) parcel(20) 1.0
 put(20.17) weight(17) 252.0
 put(20.18) parcel(20) 1.0
 put(20.18) weight(18) 252.0
 put(20.19) parcel(20) 1.0
 put(20.19) weight(19) 252.0
 put(20.20) parcel(20) 1.0
 put(20.20) weight(20) 252.0
 put(20.21) parcel(20) 1.0
 put(20.21) weight(21) 252.0
 put(20.22) parcel(20) 1.0
 put(20.22) weight(22) 252.0
 put(20.23) parcel(20) 1.0
 put(20.23) weight(23) 252.0
 put(21.0) parcel(21) 1.0
 put(21.0) weight(0) 258.0
 put(21.1) parcel(21) 1.0
 put(21.1) weight(1) 258.0
 put(21.2) parcel(21) 1.0
 put(21.2) weight(2) 258.0
 put(21.3) parcel(21) 1.0
 put(21.3) weight(3) 258.0
 put(21.4) parcel(21) 1.0
 put(21.4) weight(4) 258.0
 put(21.5) parcel(21) 1.0
 put(21.5) weight(5) 258.0
 put(21.6) parcel(21) 1.0
 put(21.6) weight(6) 258.0
 put(21.7) parcel(21) 1.0
 put(21.7) weight(7) 258.0
 put(21.8) parcel(21) 1.0
 put(21.8) weight(8) 258.0
 put(21.9) parcel(21) 1.0
 put(21.9) weight(9) 258.0
 put(21.10) parcel(21) 1.0
 put(21.10) weight(10) 258.0
 put(21.11) parcel(21) 1.0
 put(21.11) weight(11) 258.0
 put(21.12) parcel(21) 1.0
 put(21.12) weight(12) 258.0
 put(21.13) parcel(21) 1.0
 put(21.13) weight(13) 258.0
 put(21.14) parcel(21) 1.0
 put(21.14) weight(14) 258.0
 put(21.15) parcel(21) 1.0
 put(21.15) weight(15) 258.0
 put(21.16) parcel(21) 1.0
 put(21.16) weight(16) 258.0
 put(21.17) parcel(21) 1.0
 put(21.17) weight(17) 258.0
 put(21.18) parcel(21) 1.0
 put(21.18) weight(18) 258.0
 put(21.19) parcel(21) 1.0
 put(21.19) weight(19) 258.0
 put(21.20) parcel(21) 1.0
 put(21.20) weight(20) 258.0
 put(21.21) parcel(21) 1.0
 put(21.21) weight(21) 258.0
 put(21.22) parcel(21) 1.0
 put(21.22) weight(22) 258.0
 put(21.23) parcel(21) 1.0
 put(21.23) weight(23) 258.0
 put(22.0) parcel(22) 1.0
 put(22.0) weight(0) 263.0
 put(22.1) parcel(22) 1.0
 put(22.1) weight(1) 263.0
 put(22.2) parcel(22) 1.0
 put(22.2) weight(2) 263.0
 put(22.3) parcel(22) 1.0
 put(22.3) weight(3) 263.0
 put(22.4) parcel(22) 1.0
 put(22.4) weight(4) 263.0
 put(22.5) parcel(22) 1.0
 put(22.5) weight(5) 263.0
 put(22.6) parcel(22) 1.0
 put(22.6) weight(6) 263.0
 put(22.7) parcel(22) 1.0
 put(22.7) weight(7) 263.0
 put(22.8) parcel(22) 1.0
 put(22.8) weight(8) 263.0
 put(22.9) parcel(22) 1.0
 put(22.9) weight(9) 263.0
 put(22.10) parcel(22) 1.0
 put(22.10) weight(10) 263.0
 put(22.11) parcel(22) 1.0
 put(22.11) weight(11) 263.0
 put(22.12) parcel(22) 1.0
 put(22.12) weight(12) 263.0
 put(22.13) parcel(22) 1.0
 put(22.13) weight(13) 263.0
 put(22.14) parcel(22) 1.0
 put(22.14) weight(14) 263.0
 put(22.15) parcel(22) 1.0
 put(22.15) weight(15) 263.0
 put(22.16) parcel(22) 1.0
 put(22.16) weight(16) 263.0
 put(22.17) parcel(22) 1.0
 put(22.17) weight(17) 263.0
 put(22.18) parcel(22) 1.0
 put(22.18) weight(18) 263.0
 put(22.19) parcel(22) 1.0
 put(22.19) weight(19) 263.0
 put(22.20) parcel(22) 1.0
 put(22.20) weight(20) 263.0
 put(22.21) parcel(22) 1.0
 put(22.21) weight(21) 263.0
 put(22.22) parcel(22) 1.0
 put(22.22) weight(22) 263.0
 put(22.23) parcel(22) 1.0
 put(22.23) weight(23) 263.0
 put(23.0) parcel(23) 1.0
 put(23.0) weight(0) 296.0
 put(23.1) parcel(23) 1.0
 put(23.1) weight(1) 296.0
 put(23.2) parcel(23) 1.0
 put(23.2) weight(2) 296.0
 put(23.3) parcel(23) 1.0
 put(23.3) weight(3) 296.0
 put(23.4) parcel(23) 1.0
 put(23.4) weight(4) 296.0
 put(23.5) parcel(23) 1.0
 put(23.5) weight(5) 296.0
 put(23.6) parcel(23) 1.0
 put(23.6) weight(6) 296.0
 put(23.7) parcel(23) 1.0
 put(23.7) weight(7) 296.0
 put(23.8) parcel(23) 1.0
 put(23.8) weight(8) 296.0
 put(23.9) parcel(23) 1.0
 put(23.9) weight(9) 296.0
 put(23.10) parcel(23) 1.0
 put(23.10) weight(10) 296.0
 put(23.11) parcel(23) 1.0
 put(23.11) weight(11) 296.0
 put(23.12) parcel(23) 1.0
 put(23.12) weight(12) 296.0
 put(23.13) parcel(23) 1.0
 put(23.13) weight(13) 296.0
 put(23.14) parcel(23) 1.0
 put(23.14) weight(14) 296.0
 put(23.15) parcel(23) 1.0
 put(23.15) weight(15) 296.0
 put(23.16) parcel(23) 1.0
 put(23.16) weight(16) 296.0
 put(23.17) parcel(23) 1.0
 put(23.17) weight(17) 296.0
 put(23.18) parcel(23) 1.0
 put(23.18) weight(18) 296.0
 put(23.19) parcel(23) 1.0
 put(23.19) weight(19) 296.0
 put(23.20) parcel(23) 1.0
 put(23.20) weight(20) 296.0
 put(23.21) parcel(23) 1.0
 put(23.21) weight(21) 296.0
 put(23.22) parcel(23) 1.0
 put(23.22) weight(22) 296.0
 put(23.23) parcel(23) 1.0
 put(23.23) weight(23) 296.0
 put(24.0) parcel(24) 1.0
 put(24.0) weight(0) 433.0
 put(24.1) parcel(24) 1.0
 put(24.1) weight(1) 433.0
 put(24.2) parcel(24) 1.0
 put(24.2) weight(2) 433.0
 put(24.3) parcel(24) 1.0
 put(24.3) weight(3) 433.0
 put(24.4) parcel(24) 1.0
 put(24.4) weight(4) 433.0
 put(24.5) parcel(24) 1.0
 put(24.5) weight(5) 433.0
 put(24.6) parcel(24) 1.0
 put(24.6) weight(6) 433.0
 put(24.7) parcel(24) 1.0
 put(24.7) weight(7) 433.0
 put(24.8) parcel(24) 1.0
 put(24.8) weight(8) 433.0
 put(24.9) parcel(24) 1.0
 put(24.9) weight(9) 433.0
 put(24.10) parcel(24) 1.0
 put(24.10) weight(10) 433.0
 put(24.11) parcel(24) 1.0
 put(24.11) weight(11) 433.0
 put(24.12) parcel(24) 1.0
 put(24.12) weight(12) 433.0
 put(24.13) parcel(24) 1.0
 put(24.13) weight(13) 433.0
 put(24.14) parcel(24) 1.0
 put(24.14) weight(14) 433.0
 put(24.15) parcel(24) 1.0
 put(24.15) weight(15) 433.0
 put(24.16) parcel(24) 1.0
 put(24.16) weight(16) 433.0
 put(24.17) parcel(24) 1.0
 put(24.17) weight(17) 433.0
 put(24.18) parcel(24) 1.0
 put(24.18) weight(18) 433.0
 put(24.19) parcel(24) 1.0
 put(24.19) weight(19) 433.0
 put(24.20) parcel(24) 1.0
 put(24.20) weight(20) 433.0
 put(24.21) parcel(24) 1.0
 put(24.21) weight(21) 433.0
 put(24.22) parcel(24) 1.0
 put(24.22) weight(22) 433.0
 put(24.23) parcel(24) 1.0
 put(24.23) weight(23) 433.0
 put(25.0) parcel(25) 1.0
 put(25.0) weight(0) 336.0
 put(25.1) parcel(25) 1.0
 put(25.1) weight(1) 336.0
 put(25.2) parcel(25) 1.0
 put(25.2) weight(2) 336.0
 put(25.3) parcel(25) 1.0
 put(25.3) weight(3) 336.0
 put(25.4) parcel(25) 1.0
 put(25.4) weight(4) 336.0
 put(25.5) parcel(25) 1.0
 put(25.5) weight(5) 336.0
 put(25.6) parcel(25) 1.0
 put(25.6) weight(6) 336.0
 put(25.7) parcel(25) 1.0
 put(25.7) weight(7) 336.0
 put(25.8) parcel(25) 1.0
 put(25.8) weight(8) 336.0
 put(25.9) parcel(25) 1.0
 put(25.9) weight(9) 336.0
 put(25.10) parcel(25) 1.0
 put(25.10) weight(10) 336.0
 put(25.11) parcel(25) 1.0
 put(25.11) weight(11) 336.0
 put(25.12) parcel(25) 1.0
 put(25.12) weight(12) 336.0
 put(25.13) parcel(25) 1.0
 put(25.13) weight(13) 336.0
 put(25.14) parcel(25) 1.0
 put(25.14) weight(14) 336.0
 put(25.15) parcel(25) 1.0
 put(25.15) weight(15) 336.0
 put(25.16) parcel(25) 1.0
 put(25.16) weight(16) 336.0
 put(25.17) parcel(25) 1.0
 put(25.17) weight(17) 336.0
 put(25.18) parcel(25) 1.0
 put(25.18) weight(18) 336.0
 put(25.19) parcel(25) 1.0
 put(25.19) weight(19) 336.0
 put(25.20) parcel(25) 1.0
 put(25.20) weight(20) 336.0
 put(25.21) parcel(25) 1.0
 put(25.21) weight(21) 336.0
 put(25.22) parcel(25) 1.0
 put(25.22) weight(22) 336.0
 put(25.23) parcel(25) 1.0
 put(25.23) weight(23) 336.0
 put(26.0) parcel(26) 1.0
 put(26.0) weight(0) 442.0
 put(26.1) parcel(26) 1.0
 put(26.1) weight(1) 442.0
 put(26.2) parcel(26) 1.0
 put(26.2) weight(2) 442.0
 put(26.3) parcel(26) 1.0
 put(26.3) weight(3) 442.0
 put(26.4) parcel(26) 1.0
 put(26.4) weight(4) 442.0
 put(26.5) parcel(26) 1.0
 put(26.5) weight(5) 442.0
 put(26.6) parcel(26) 1.0
 put(26.6) weight(6) 442.0
 put(26.7) parcel(26) 1.0
 put(26.7) weight(7) 442.0
 put(26.8) parcel(26) 1.0
 put(26.8) weight(8) 442.0
 put(26.9) parcel(26) 1.0
 put(26.9) weight(9) 442.0
 put(26.10) parcel(26) 1.0
 put(26.10) weight(10) 442.0
 put(26.11) parcel(26) 1.0
 put(26.11) weight(11) 442.0
 put(26.12) parcel(26) 1.0
 put(26.12) weight(12) 442.0
 put(26.13) parcel(26) 1.0
 put(26.13) weight(13) 442.0
 put(26.14) parcel(26) 1.0
 put(26.14) weight(14) 442.0
 put(26.15) parcel(26) 1.0
 put(26.15) weight(15) 442.0
 put(26.16) parcel(26) 1.0
 put(26.16) weight(16) 442.0
 put(26.17) parcel(26) 1.0
 put(26.17) weight(17) 442.0
 put(26.18) parcel(26) 1.0
 put(26.18) weight(18) 442.0
 put(26.19) parcel(26) 1.0
 put(26.19) weight(19) 442.0
 put(26.20) parcel(26) 1.0
 put(26.20) weight(20) 442.0
 put(26.21) parcel(26) 1.0
 put(26.21) weight(21) 442.0
 put(26.22) parcel(26) 1.0
 put(26.22) weight(22) 442.0
 put(26.23) parcel(26) 1.0
 put(26.23) weight(23) 442.0
 put(27.0) parcel(27) 1.0
 put(27.0) weight(0) 267.0
 put(27.1) parcel(27) 1.0
 put(27.1) weight(1) 267.0
 put(27.2) parcel(27) 1.0
 put(27.2) weight(2) 267.0
 put(27.3) parcel(27) 1.0
 put(27.3) weight(3) 267.0
 put(27.4) parcel(27) 1.0
 put(27.4) weight(4) 267.0
 put(27.5) parcel(27) 1.0
 put(27.5) weight(5) 267.0
 put(27.6) parcel(27) 1.0
 put(27.6) weight(6) 267.0
 put(27.7) parcel(27) 1.0
 put(27.7) weight(7) 267.0
 put(27.8) parcel(27) 1.0
 put(27.8) weight(8) 267.0
 put(27.9) parcel(27) 1.0
 put(27.9) weight(9) 267.0
 put(27.10) parcel(27) 1.0
 put(27.10) weight(10) 267.0
 put(27.11) parcel(27) 1.0
 put(27.11) weight(11) 267.0
 put(27.12) parcel(27) 1.0
 put(27.12) weight(12) 267.0
 put(27.13) parcel(27) 1.0
 put(27.13) weight(13) 267.0
 put(27.14) parcel(27) 1.0
 put(27.14) weight(14) 267.0
 put(27.15) parcel(27) 1.0
 put(27.15) weight(15) 267.0
 put(27.16) parcel(27) 1.0
 put(27.16) weight(16) 267.0
 put(27.17) parcel(27) 1.0
 put(27.17) weight(17) 267.0
 put(27.18) parcel(27) 1.0
 put(27.18) weight(18) 267.0
 put(27.19) parcel(27) 1.0
 put(27.19) weight(19) 267.0
 put(27.20) parcel(27) 1.0
 put(27.20) weight(20) 267.0
 put(27.21) parcel(27) 1.0
 put(27.21) weight(21) 267.0
 put(27.22) parcel(27) 1.0
 put(27.22) weight(22) 267.0
 put(27.23) parcel(27) 1.0
 put(27.23) weight(23) 267.0
 put(28.0) parcel(28) 1.0
 put(28.0) weight(0) 313.0
 put(28.1) parcel(28) 1.0
 put(28.1) weight(1) 313.0
 put(28.2) parcel(28) 1.0
 put(28.2) weight(2) 313.0
 put(28.3) parcel(28) 1.0
 put(28.3) weight(3) 313.0
 put(28.4) parcel(28) 1.0
 put(28.4) weight(4) 313.0
 put(28.5) parcel(28) 1.0
 put(28.5) weight(5) 313.0
 put(28.6) parcel(28) 1.0
 put(28.6) weight(6) 313.0
 put(28.7) parcel(28) 1.0
 put(28.7) weight(7) 313.0
 put(28.8) parcel(28) 1.0
 put(28.8) weight(8) 313.0
 put(28.9) parcel(28) 1.0
 put(28.9) weight(9) 313.0
 put(28.10) parcel(28) 1.0
 put(28.10) weight(10) 313.0
 put(28.11) parcel(28) 1.0
 put(28.11) weight(11) 313.0
 put(28.12) parcel(28) 1.0
 put(28.12) weight(12) 313.0
 put(28.13) parcel(28) 1.0
 put(28.13) weight(13) 313.0
 put(28.14) parcel(28) 1.0
 put(28.14) weight(14) 313.0
 put(28.15) parcel(28) 1.0
 put(28.15) weight(15) 313.0
 put(28.16) parcel(28) 1.0
 put(28.16) weight(16) 313.0
 put(28.17) parcel(28) 1.0
 put(28.17) weight(17) 313.0
 put(28.18) parcel(28) 1.0
 put(28.18) weight(18) 313.0
 put(28.19) parcel(28) 1.0
 put(28.19) weight(19) 313.0
 put(28.20) parcel(28) 1.0
 put(28.20) weight(20) 313.0
 put(28.21) parcel(28) 1.0
 put(28.21) weight(21) 313.0
 put(28.22) parcel(28) 1.0
 put(28.22) weight(22) 313.0
 put(28.23) parcel(28) 1.0
 put(28.23) weight(23) 313.0
 put(29.0) parcel(29) 1.0
 put(29.0) weight(0) 250.0
 put(29.1) parcel(29) 1.0
 put(29.1) weight(1) 250.0
 put(29.2) parcel(29) 1.0
 put(29.2) weight(2) 250.0
 put(29.3) parcel(29) 1.0
 put(29.3) weight(3) 250.0
 put(29.4) parcel(29) 1.0
 put(29.4) weight(4) 250.0
 put(29.5) parcel(29) 1.0
 put(29.5) weight(5) 250.0
 put(29.6) parcel(29) 1.0
 put(29.6) weight(6) 250.0
 put(29.7) parcel(29) 1.0
 put(29.7) weight(7) 250.0
 put(29.8) parcel(29) 1.0
 put(29.8) weight(8) 250.0
 put(29.9) parcel(29) 1.0
 put(29.9) weight(9) 250.0
 put(29.10) parcel(29) 1.0
 put(29.10) weight(10) 250.0
 put(29.11) parcel(29) 1.0
 put(29.11) weight(11) 250.0
 put(29.12) parcel(29) 1.0
 put(29.12) weight(12) 250.0
 put(29.13) parcel(29) 1.0
 put(29.13) weight(13) 250.0
 put(29.14) parcel(29) 1.0
 put(29.14) weight(14) 250.0
 put(29.15) parcel(29) 1.0
 put(29.15) weight(15) 250.0
 put(29.16) parcel(29) 1.0
 put(29.16) weight(16) 250.0
 put(29.17) parcel(29) 1.0
 put(29.17) weight(17) 250.0
 put(29.18) parcel(29) 1.0
 put(29.18) weight(18) 250.0
 put(29.19) parcel(29) 1.0
 put(29.19) weight(19) 250.0
 put(29.20) parcel(29) 1.0
 put(29.20) weight(20) 250.0
 put(29.21) parcel(29) 1.0
 put(29.21) weight(21) 250.0
 put(29.22) parcel(29) 1.0
 put(29.22) weight(22) 250.0
 put(29.23) parcel(29) 1.0
 put(29.23) weight(23) 250.0
 put(30.0) parcel(30) 1.0
 put(30.0) weight(0) 452.0
 put(30.1) parcel(30) 1.0
 put(30.1) weight(1) 452.0
 put(30.2) parcel(30) 1.0
 put(30.2) weight(2) 452.0
 put(30.3) parcel(30) 1.0
 put(30.3) weight(3) 452.0
 put(30.4) parcel(30) 1.0
 put(30.4) weight(4) 452.0
 put(30.5) parcel(30) 1.0
 put(30.5) weight(5) 452.0
 put(30.6) parcel(30) 1.0
 put(30.6) weight(6) 452.0
 put(30.7) parcel(30) 1.0
 put(30.7) weight(7) 452.0
 put(30.8) parcel(30) 1.0
 put(30.8) weight(8) 452.0
 put(30.9) parcel(30) 1.0
 put(30.9) weight(9) 452.0
 put(30.10) parcel(30) 1.0
 put(30.10) weight(10) 452.0
 put(30.11) parcel(30) 1.0
 put(30.11) weight(11) 452.0
 put(30.12) parcel(30) 1.0
 put(30.12) weight(12) 452.0
 put(30.13) parcel(30) 1.0
 put(30.13) weight(13) 452.0
 put(30.14) parcel(30) 1.0
 put(30.14) weight(14) 452.0
 put(30.15) parcel(30) 1.0
 put(30.15) weight(15) 452.0
 put(30.16) parcel(30) 1.0
 put(30.16) weight(16) 452.0
 put(30.17) parcel(30) 1.0
 put(30.17) weight(17) 452.0
 put(30.18) parcel(30) 1.0
 put(30.18) weight(18) 452.0
 put(30.19) parcel(30) 1.0
 put(30.19) weight(19) 452.0
 put(30.20) parcel(30) 1.0
 put(30.20) weight(20) 452.0
 put(30.21) parcel(30) 1.0
 put(30.21) weight(21) 452.0
 put(30.22) parcel(30) 1.0
 put(30.22) weight(22) 452.0
 put(30.23) parcel(30) 1.0
 put(30.23) weight(23) 452.0
 put(31.0) parcel(31) 1.0
 put(31.0) weight(0) 282.0
 put(31.1) parcel(31) 1.0
 put(31.1) weight(1) 282.0
 put(31.2) parcel(31) 1.0
 put(31.2) weight(2) 282.0
 put(31.3) parcel(31) 1.0
 put(31.3) weight(3) 282.0
 put(31.4) parcel(31) 1.0
 put(31.4) weight(4) 282.0
 put(31.5) parcel(31) 1.0
 put(31.5) weight(5) 282.0
 put(31.6) parcel(31) 1.0
 put(31.6) weight(6) 282.0
 put(31.7) parcel(31) 1.0
 put(31.7) weight(7) 282.0
 put(31.8) parcel(31) 1.0
 put(31.8) weight(8) 282.0
 put(31.9) parcel(31) 1.0
 put(31.9) weight(9) 282.0
 put(31.10) parcel(31) 1.0
 put(31.10) weight(10) 282.0
 put(31.11) parcel(31) 1.0
 put(31.11) weight(11) 282.0
 put(31.12) parcel(31) 1.0
 put(31.12) weight(12) 282.0
 put(31.13) parcel(31) 1.0
 put(31.13) weight(13) 282.0
 put(31.14) parcel(31) 1.0
 put(31.14) weight(14) 282.0
 put(31.15) parcel(31) 1.0
 put(31.15) weight(15) 282.0
 put(31.16) parcel(31) 1.0
 put(31.16) weight(16) 282.0
 put(31.17) parcel(31) 1.0
 put(31.17) weight(17) 282.0
 put(31.18) parcel(31) 1.0
 put(31.18) weight(18) 282.0
 put(31.19) parcel(31) 1.0
 put(31.19) weight(19) 282.0
 put(31.20) parcel(31) 1.0
 put(31.20) weight(20) 282.0
 put(31.21) parcel(31) 1.0
 put(31.21) weight(21) 282.0
 put(31.22) parcel(31) 1.0
 put(31.22) weight(22) 282.0
 put(31.23) parcel(31) 1.0
 put(31.23) weight(23) 282.0
 put(32.0) parcel(32) 1.0
 put(32.0) weight(0) 410.0
 put(32.1) parcel(32) 1.0
 put(32.1) weight(1) 410.0
 put(32.2) parcel(32) 1.0
 put(32.2) weight(2) 410.0
 put(32.3) parcel(32) 1.0
 put(32.3) weight(3) 410.0
 put(32.4) parcel(32) 1.0
 put(32.4) weight(4) 410.0
 put(32.5) parcel(32) 1.0
 put(32.5) weight(5) 410.0
 put(32.6) parcel(32) 1.0
 put(32.6) weight(6) 410.0
 put(32.7) parcel(32) 1.0
 put(32.7) weight(7) 410.0
 put(32.8) parcel(32) 1.0
 put(32.8) weight(8) 410.0
 put(32.9) parcel(32) 1.0
 put(32.9) weight(9) 410.0
 put(32.10) parcel(32) 1.0
 put(32.10) weight(10) 410.0
 put(32.11) parcel(32) 1.0
 put(32.11) weight(11) 410.0
 put(32.12) parcel(32) 1.0
 put(32.12) weight(12) 410.0
 put(32.13) parcel(32) 1.0
 put(32.13) weight(13) 410.0
 put(32.14) parcel(32) 1.0
 put(32.14) weight(14) 410.0
 put(32.15) parcel(32) 1.0
 put(32.15) weight(15) 410.0
 put(32.16) parcel(32) 1.0
 put(32.16) weight(16) 410.0
 put(32.17) parcel(32) 1.0
 put(32.17) weight(17) 410.0
 put(32.18) parcel(32) 1.0
 put(32.18) weight(18) 410.0
 put(32.19) parcel(32) 1.0
 put(32.19) weight(19) 410.0
 put(32.20) parcel(32) 1.0
 put(32.20) weight(20) 410.0
 put(32.21) parcel(32) 1.0
 put(32.21) weight(21) 410.0
 put(32.22) parcel(32) 1.0
 put(32.22) weight(22) 410.0
 put(32.23) parcel(32) 1.0
 put(32.23) weight(23) 410.0
 put(33.0) parcel(33) 1.0
 put(33.0) weight(0) 268.0
 put(33.1) parcel(33) 1.0
 put(33.1) weight(1) 268.0
 put(33.2) parcel(33) 1.0
 put(33.2) weight(2) 268.0
 put(33.3) parcel(33) 1.0
 put(33.3) weight(3) 268.0
 put(33.4) parcel(33) 1.0
 put(33.4) weight(4) 268.0
 put(33.5) parcel(33) 1.0
 put(33.5) weight(5) 268.0
 put(33.6) parcel(33) 1.0
 put(33.6) weight(6) 268.0
 put(33.7) parcel(33) 1.0
 put(33.7) weight(7) 268.0
 put(33.8) parcel(33) 1.0
 put(33.8) weight(8) 268.0
 put(33.9) parcel(33) 1.0
 put(33.9) weight(9) 268.0
 put(33.10) parcel(33) 1.0
 put(33.10) weight(10) 268.0
 put(33.11) parcel(33) 1.0
 put(33.11) weight(11) 268.0
 put(33.12) parcel(33) 1.0
 put(33.12) weight(12) 268.0
 put(33.13) parcel(33) 1.0
 put(33.13) weight(13) 268.0
 put(33.14) parcel(33) 1.0
 put(33.14) weight(14) 268.0
 put(33.15) parcel(33) 1.0
 put(33.15) weight(15) 268.0
 put(33.16) parcel(33) 1.0
 put(33.16) weight(16) 268.0
 put(33.17) parcel(33) 1.0
 put(33.17) weight(17) 268.0
 put(33.18) parcel(33) 1.0
 put(33.18) weight(18) 268.0
 put(33.19) parcel(33) 1.0
 put(33.19) weight(19) 268.0
 put(33.20) parcel(33) 1.0
 put(33.20) weight(20) 268.0
 put(33.21) parcel(33) 1.0
 put(33.21) weight(21) 268.0
 put(33.22) parcel(33) 1.0
 put(33.22) weight(22) 268.0
 put(33.23) parcel(33) 1.0
 put(33.23) weight(23) 268.0
 put(34.0) parcel(34) 1.0
 put(34.0) weight(0) 423.0
 put(34.1) parcel(34) 1.0
 put(34.1) weight(1) 423.0
 put(34.2) parcel(34) 1.0
 put(34.2) weight(2) 423.0
 put(34.3) parcel(34) 1.0
 put(34.3) weight(3) 423.0
 put(34.4) parcel(34) 1.0
 put(34.4) weight(4) 423.0
 put(34.5) parcel(34) 1.0
 put(34.5) weight(5) 423.0
 put(34.6) parcel(34) 1.0
 put(34.6) weight(6) 423.0
 put(34.7) parcel(34) 1.0
 put(34.7) weight(7) 423.0
 put(34.8) parcel(34) 1.0
 put(34.8) weight(8) 423.0
 put(34.9) parcel(34) 1.0
 put(34.9) weight(9) 423.0
 put(34.10) parcel(34) 1.0
 put(34.10) weight(10) 423.0
 put(34.11) parcel(34) 1.0
 put(34.11) weight(11) 423.0
 put(34.12) parcel(34) 1.0
 put(34.12) weight(12) 423.0
 put(34.13) parcel(34) 1.0
 put(34.13) weight(13) 423.0
 put(34.14) parcel(34) 1.0
 put(34.14) weight(14) 423.0
 put(34.15) parcel(34) 1.0
 put(34.15) weight(15) 423.0
 put(34.16) parcel(34) 1.0
 put(34.16) weight(16) 423.0
 put(34.17) parcel(34) 1.0
 put(34.17) weight(17) 423.0
 put(34.18) parcel(34) 1.0
 put(34.18) weight(18) 423.0
 put(34.19) parcel(34) 1.0
 put(34.19) weight(19) 423.0
 put(34.20) parcel(34) 1.0
 put(34.20) weight(20) 423.0
 put(34.21) parcel(34) 1.0
 put(34.21) weight(21) 423.0
 put(34.22) parcel(34) 1.0
 put(34.22) weight(22) 423.0
 put(34.23) parcel(34) 1.0
 put(34.23) weight(23) 423.0
 put(35.0) parcel(35) 1.0
 put(35.0) weight(0) 276.0
 put(35.1) parcel(35) 1.0
 put(35.1) weight(1) 276.0
 put(35.2) parcel(35) 1.0
 put(35.2) weight(2) 276.0
 put(35.3) parcel(35) 1.0
 put(35.3) weight(3) 276.0
 put(35.4) parcel(35) 1.0
 put(35.4) weight(4) 276.0
 put(35.5) parcel(35) 1.0
 put(35.5) weight(5) 276.0
 put(35.6) parcel(35) 1.0
 put(35.6) weight(6) 276.0
 put(35.7) parcel(35) 1.0
 put(35.7) weight(7) 276.0
 put(35.8) parcel(35) 1.0
 put(35.8) weight(8) 276.0
 put(35.9) parcel(35) 1.0
 put(35.9) weight(9) 276.0
 put(35.10) parcel(35) 1.0
 put(35.10) weight(10) 276.0
 put(35.11) parcel(35) 1.0
 put(35.11) weight(11) 276.0
 put(35.12) parcel(35) 1.0
 put(35.12) weight(12) 276.0
 put(35.13) parcel(35) 1.0
 put(35.13) weight(13) 276.0
 put(35.14) parcel(35) 1.0
 put(35.14) weight(14) 276.0
 put(35.15) parcel(35) 1.0
 put(35.15) weight(15) 276.0
 put(35.16) parcel(35) 1.0
 put(35.16) weight(16) 276.0
 put(35.17) parcel(35) 1.0
 put(35.17) weight(17) 276.0
 put(35.18) parcel(35) 1.0
 put(35.18) weight(18) 276.0
 put(35.19) parcel(35) 1.0
 put(35.19) weight(19) 276.0
 put(35.20) parcel(35) 1.0
 put(35.20) weight(20) 276.0
 put(35.21) parcel(35) 1.0
 put(35.21) weight(21) 276.0
 put(35.22) parcel(35) 1.0
 put(35.22) weight(22) 276.0
 put(35.23) parcel(35) 1.0
 put(35.23) weight(23) 276.0
 put(36.0) parcel(36) 1.0
 put(36.0) weight(0) 303.0
 put(36.1) parcel(36) 1.0
 put(36.1) weight(1) 303.0
 put(36.2) parcel(36) 1.0
 put(36.2) weight(2) 303.0
 put(36.3) parcel(36) 1.0
 put(36.3) weight(3) 303.0
 put(36.4) parcel(36) 1.0
 put(36.4) weight(4) 303.0
 put(36.5) parcel(36) 1.0
 put(36.5) weight(5) 303.0
 put(36.6) parcel(36) 1.0
 put(36.6) weight(6) 303.0
 put(36.7) parcel(36) 1.0
 put(36.7) weight(7) 303.0
 put(36.8) parcel(36) 1.0
 put(36.8) weight(8) 303.0
 put(36.9) parcel(36) 1.0
 put(36.9) weight(9) 303.0
 put(36.10) parcel(36) 1.0
 put(36.10) weight(10) 303.0
 put(36.11) parcel(36) 1.0
 put(36.11) weight(11) 303.0
 put(36.12) parcel(36) 1.0
 put(36.12) weight(12) 303.0
 put(36.13) parcel(36) 1.0
 put(36.13) weight(13) 303.0
 put(36.14) parcel(36) 1.0
 put(36.14) weight(14) 303.0
 put(36.15) parcel(36) 1.0
 put(36.15) weight(15) 303.0
 put(36.16) parcel(36) 1.0
 put(36.16) weight(16) 303.0
 put(36.17) parcel(36) 1.0
 put(36.17) weight(17) 303.0
 put(36.18) parcel(36) 1.0
 put(36.18) weight(18) 303.0
 put(36.19) parcel(36) 1.0
 put(36.19) weight(19) 303.0
 put(36.20) parcel(36) 1.0
 put(36.20) weight(20) 303.0
 put(36.21) parcel(36) 1.0
 put(36.21) weight(21) 303.0
 put(36.22) parcel(36) 1.0
 put(36.22) weight(22) 303.0
 put(36.23) parcel(36) 1.0
 put(36.23) weight(23) 303.0
 put(37.0) parcel(37) 1.0
 put(37.0) weight(0) 278.0
 put(37.1) parcel(37) 1.0
 put(37.1) weight(1) 278.0
 put(37.2) parcel(37) 1.0
 put(37.2) weight(2) 278.0
 put(37.3) parcel(37) 1.0
 put(37.3) weight(3) 278.0
 put(37.4) parcel(37) 1.0
 put(37.4) weight(4) 278.0
 put(37.5) parcel(37) 1.0
 put(37.5) weight(5) 278.0
 put(37.6) parcel(37) 1.0
 put(37.6) weight(6) 278.0
 put(37.7) parcel(37) 1.0
 put(37.7) weight(7) 278.0
 put(37.8) parcel(37) 1.0
 put(37.8) weight(8) 278.0
 put(37.9) parcel(37) 1.0
 put(37.9) weight(9) 278.0
 put(37.10) parcel(37) 1.0
 put(37.10) weight(10) 278.0
 put(37.11) parcel(37) 1.0
 put(37.11) weight(11) 278.0
 put(37.12) parcel(37) 1.0
 put(37.12) weight(12) 278.0
 put(37.13) parcel(37) 1.0
 put(37.13) weight(13) 278.0
 put(37.14) parcel(37) 1.0
 put(37.14) weight(14) 278.0
 put(37.15) parcel(37) 1.0
 put(37.15) weight(15) 278.0
 put(37.16) parcel(37) 1.0
 put(37.16) weight(16) 278.0
 put(37.17) parcel(37) 1.0
 put(37.17) weight(17) 278.0
 put(37.18) parcel(37) 1.0
 put(37.18) weight(18) 278.0
 put(37.19) parcel(37) 1.0
 put(37.19) weight(19) 278.0
 put(37.20) parcel(37) 1.0
 put(37.20) weight(20) 278.0
 put(37.21) parcel(37) 1.0
 put(37.21) weight(21) 278.0
 put(37.22) parcel(37) 1.0
 put(37.22) weight(22) 278.0
 put(37.23) parcel(37) 1.0
 put(37.23) weight(23) 278.0
 put(38.0) parcel(38) 1.0
 put(38.0) weight(0) 441.0
 put(38.1) parcel(38) 1.0
 put(38.1) weight(1) 441.0
 put(38.2) parcel(38) 1.0
 put(38.2) weight(2) 441.0
 put(38.3) parcel(38) 1.0
 put(38.3) weight(3) 441.0
 put(38.4) parcel(38) 1.0
 put(38.4) weight(4) 441.0
 put(38.5) parcel(38) 1.0
 put(38.5) weight(5) 441.0
 put(38.6) parcel(38) 1.0
 put(38.6) weight(6) 441.0
 put(38.7) parcel(38) 1.0
 put(38.7) weight(7) 441.0
 put(38.8) parcel(38) 1.0
 put(38.8) weight(8) 441.0
 put(38.9) parcel(38) 1.0
 put(38.9) weight(9) 441.0
 put(38.10) parcel(38) 1.0
 put(38.10) weight(10) 441.0
 put(38.11) parcel(38) 1.0
 put(38.11) weight(11) 441.0
 put(38.12) parcel(38) 1.0
 put(38.12) weight(12) 441.0
 put(38.13) parcel(38) 1.0
 put(38.13) weight(13) 441.0
 put(38.14) parcel(38) 1.0
 put(38.14) weight(14) 441.0
 put(38.15) parcel(38) 1.0
 put(38.15) weight(15) 441.0
 put(38.16) parcel(38) 1.0
 put(38.16) weight(16) 441.0
 put(38.17) parcel(38) 1.0
 put(38.17) weight(17) 441.0
 put(38.18) parcel(38) 1.0
 put(38.18) weight(18) 441.0
 put(38.19) parcel(38) 1.0
 put(38.19) weight(19) 441.0
 put(38.20) parcel(38) 1.0
 put(38.20) weight(20) 441.0
 put(38.21) parcel(38) 1.0
 put(38.21) weight(21) 441.0
 put(38.22) parcel(38) 1.0
 put(38.22) weight(22) 441.0
 put(38.23) parcel(38) 1.0
 put(38.23) weight(23) 441.0
 put(39.0) parcel(39) 1.0
 put(39.0) weight(0) 435.0
 put(39.1) parcel(39) 1.0
 put(39.1) weight(1) 435.0
 put(39.2) parcel(39) 1.0
 put(39.2) weight(2) 435.0
 put(39.3) parcel(39) 1.0
 put(39.3) weight(3) 435.0
 put(39.4) parcel(39) 1.0
 put(39.4) weight(4) 435.0
 put(39.5) parcel(39) 1.0
 put(39.5) weight(5) 435.0
 put(39.6) parcel(39) 1.0
 put(39.6) weight(6) 435.0
 put(39.7) parcel(39) 1.0
 put(39.7) weight(7) 435.0
 put(39.8) parcel(39) 1.0
 put(39.8) weight(8) 435.0
 put(39.9) parcel(39) 1.0
 put(39.9) weight(9) 435.0
 put(39.10) parcel(39) 1.0
 put(39.10) weight(10) 435.0
 put(39.11) parcel(39) 1.0
 put(39.11) weight(11) 435.0
 put(39.12) parcel(39) 1.0
 put(39.12) weight(12) 435.0
 put(39.13) parcel(39) 1.0
 put(39.13) weight(13) 435.0
 put(39.14) parcel(39) 1.0
 put(39.14) weight(14) 435.0
 put(39.15) parcel(39) 1.0
 put(39.15) weight(15) 435.0
 put(39.16) parcel(39) 1.0
 put(39.16) weight(16) 435.0
 put(39.17) parcel(39) 1.0
 put(39.17) weight(17) 435.0
 put(39.18) parcel(39) 1.0
 put(39.18) weight(18) 435.0
 put(39.19) parcel(39) 1.0
 put(39.19) weight(19) 435.0
 put(39.20) parcel(39) 1.0
 put(39.20) weight(20) 435.0
 put(39.21) parcel(39) 1.0
 put(39.21) weight(21) 435.0
 put(39.22) parcel(39) 1.0
 put(39.22) weight(22) 435.0
 put(39.23) parcel(39) 1.0
 put(39.23) weight(23) 435.0
 put(40.0) parcel(40) 1.0
 put(40.0) weight(0) 275.0
 put(40.1) parcel(40) 1.0
 put(40.1) weight(1) 275.0
 put(40.2) parcel(40) 1.0
 put(40.2) weight(2) 275.0
 put(40.3) parcel(40) 1.0
 put(40.3) weight(3) 275.0
 put(40.4) parcel(40) 1.0
 put(40.4) weight(4) 275.0
 put(40.5) parcel(40) 1.0
 put(40.5) weight(5) 275.0
 put(40.6) parcel(40) 1.0
 put(40.6) weight(6) 275.0
 put(40.7) parcel(40) 1.0
 put(40.7) weight(7) 275.0
 put(40.8) parcel(40) 1.0
 put(40.8) weight(8) 275.0
 put(40.9) parcel(40) 1.0
 put(40.9) weight(9) 275.0
 put(40.10) parcel(40) 1.0
 put(40.10) weight(10) 275.0
 put(40.11) parcel(40) 1.0
 put(40.11) weight(11) 275.0
 put(40.12) parcel(40) 1.0
 put(40.12) weight(12) 275.0
 put(40.13) parcel(40) 1.0
 put(40.13) weight(13) 275.0
 put(40.14) parcel(40) 1.0
 put(40.14) weight(14) 275.0
 put(40.15) parcel(40) 1.0
 put(40.15) weight(15) 275.0
 put(40.16) parcel(40) 1.0
 put(40.16) weight(16) 275.0
 put(40.17) parcel(40) 1.0
 put(40.17) weight(17) 275.0
 put(40.18) parcel(40) 1.0
 put(40.18) weight(18) 275.0
 put(40.19) parcel(40) 1.0
 put(40.19) weight(19) 275.0
 put(40.20) parcel(40) 1.0
 put(40.20) weight(20) 275.0
 put(40.21) parcel(40) 1.0
 put(40.21) weight(21) 275.0
 put(40.22) parcel(40) 1.0
 put(40.22) weight(22) 275.0
 put(40.23) parcel(40) 1.0
 put(40.23) weight(23) 275.0
 put(41.0) parcel(41) 1.0
 put(41.0) weight(0) 436.0
 put(41.1) parcel(41) 1.0
 put(41.1) weight(1) 436.0
 put(41.2) parcel(41) 1.0
 put(41.2) weight(2) 436.0
 put(41.3) parcel(41) 1.0
 put(41.3) weight(3) 436.0
 put(41.4) parcel(41) 1.0
 put(41.4) weight(4) 436.0
 put(41.5) parcel(41) 1.0
 put(41.5) weight(5) 436.0
 put(41.6) parcel(41) 1.0
 put(41.6) weight(6) 436.0
 put(41.7) parcel(41) 1.0
 put(41.7) weight(7) 436.0
 put(41.8) parcel(41) 1.0
 put(41.8) weight(8) 436.0
 put(41.9) parcel(41) 1.0
 put(41.9) weight(9) 436.0
 put(41.10) parcel(41) 1.0
 put(41.10) weight(10) 436.0
 put(41.11) parcel(41) 1.0
 put(41.11) weight(11) 436.0
 put(41.12) parcel(41) 1.0
 put(41.12) weight(12) 436.0
 put(41.13) parcel(41) 1.0
 put(41.13) weight(13) 436.0
 put(41.14) parcel(41) 1.0
 put(41.14) weight(14) 436.0
 put(41.15) parcel(41) 1.0
 put(41.15) weight(15) 436.0
 put(41.16) parcel(41) 1.0
 put(41.16) weight(16) 436.0
 put(41.17) parcel(41) 1.0
 put(41.17) weight(17) 436.0
 put(41.18) parcel(41) 1.0
 put(41.18) weight(18) 436.0
 put(41.19) parcel(41) 1.0
 put(41.19) weight(19) 436.0
 put(41.20) parcel(41) 1.0
 put(41.20) weight(20) 436.0
 put(41.21) parcel(41) 1.0
 put(41.21) weight(21) 436.0
 put(41.22) parcel(41) 1.0
 put(41.22) weight(22) 436.0
 put(41.23) parcel(41) 1.0
 put(41.23) weight(23) 436.0
 put(42.0) parcel(42) 1.0
 put(42.0) weight(0) 258.0
 put(42.1) parcel(42) 1.0
 put(42.1) weight(1) 258.0
 put(42.2) parcel(42) 1.0
 put(42.2) weight(2) 258.0
 put(42.3) parcel(42) 1.0
 put(42.3) weight(3) 258.0
 put(42.4) parcel(42) 1.0
 put(42.4) weight(4) 258.0
 put(42.5) parcel(42) 1.0
 put(42.5) weight(5) 258.0
 put(42.6) parcel(42) 1.0
 put(42.6) weight(6) 258.0
 put(42.7) parcel(42) 1.0
 put(42.7) weight(7) 258.0
 put(42.8) parcel(42) 1.0
 put(42.8) weight(8) 258.0
 put(42.9) parcel(42) 1.0
 put(42.9) weight(9) 258.0
 put(42.10) parcel(42) 1.0
 put(42.10) weight(10) 258.0
 put(42.11) parcel(42) 1.0
 put(42.11) weight(11) 258.0
 put(42.12) parcel(42) 1.0
 put(42.12) weight(12) 258.0
 put(42.13) parcel(42) 1.0
 put(42.13) weight(13) 258.0
 put(42.14) parcel(42) 1.0
 put(42.14) weight(14) 258.0
 put(42.15) parcel(42) 1.0
 put(42.15) weight(15) 258.0
 put(42.16) parcel(42) 1.0
 put(42.16) weight(16) 258.0
 put(42.17) parcel(42) 1.0
 put(42.17) weight(17) 258.0
 put(42.18) parcel(42) 1.0
 put(42.18) weight(18) 258.0
 put(42.19) parcel(42) 1.0
 put(42.19) weight(19) 258.0
 put(42.20) parcel(42) 1.0
 put(42.20) weight(20) 258.0
 put(42.21) parcel(42) 1.0
 put(42.21) weight(21) 258.0
 put(42.22) parcel(42) 1.0
 put(42.22) weight(22) 258.0
 put(42.23) parcel(42) 1.0
 put(42.23) weight(23) 258.0
 put(43.0) parcel(43) 1.0
 put(43.0) weight(0) 273.0
 put(43.1) parcel(43) 1.0
 put(43.1) weight(1) 273.0
 put(43.2) parcel(43) 1.0
 put(43.2) weight(2) 273.0
 put(43.3) parcel(43) 1.0
 put(43.3) weight(3) 273.0
 put(43.4) parcel(43) 1.0
 put(43.4) weight(4) 273.0
 put(43.5) parcel(43) 1.0
 put(43.5) weight(5) 273.0
 put(43.6) parcel(43) 1.0
 put(43.6) weight(6) 273.0
 put(43.7) parcel(43) 1.0
 put(43.7) weight(7) 273.0
 put(43.8) parcel(43) 1.0
 put(43.8) weight(8) 273.0
 put(43.9) parcel(43) 1.0
 put(43.9) weight(9) 273.0
 put(43.10) parcel(43) 1.0
 put(43.10) weight(10) 273.0
 put(43.11) parcel(43) 1.0
 put(43.11) weight(11) 273.0
 put(43.12) parcel(43) 1.0
 put(43.12) weight(12) 273.0
 put(43.13) parcel(43) 1.0
 put(43.13) weight(13) 273.0
 put(43.14) parcel(43) 1.0
 put(43.14) weight(14) 273.0
 put(43.15) parcel(43) 1.0
 put(43.15) weight(15) 273.0
 put(43.16) parcel(43) 1.0
 put(43.16) weight(16) 273.0
 put(43.17) parcel(43) 1.0
 put(43.17) weight(17) 273.0
 put(43.18) parcel(43) 1.0
 put(43.18) weight(18) 273.0
 put(43.19) parcel(43) 1.0
 put(43.19) weight(19) 273.0
 put(43.20) parcel(43) 1.0
 put(43.20) weight(20) 273.0
 put(43.21) parcel(43) 1.0
 put(43.21) weight(21) 273.0
 put(43.22) parcel(43) 1.0
 put(43.22) weight(22) 273.0
 put(43.23) parcel(43) 1.0
 put(43.23) weight(23) 273.0
 put(44.0) parcel(44) 1.0
 put(44.0) weight(0) 450.0
 put(44.1) parcel(44) 1.0
 put(44.1) weight(1) 450.0
 put(44.2) parcel(44) 1.0
 put(44.2) weight(2) 450.0
 put(44.3) parcel(44) 1.0
 put(44.3) weight(3) 450.0
 put(44.4) parcel(44) 1.0
 put(44.4) weight(4) 450.0
 put(44.5) parcel(44) 1.0
 put(44.5) weight(5) 450.0
 put(44.6) parcel(44) 1.0
 put(44.6) weight(6) 450.0
 put(44.7) parcel(44) 1.0
 put(44.7) weight(7) 450.0
 put(44.8) parcel(44) 1.0
 put(44.8) weight(8) 450.0
 put(44.9) parcel(44) 1.0
 put(44.9) weight(9) 450.0
 put(44.10) parcel(44) 1.0
 put(44.10) weight(10) 450.0
 put(44.11) parcel(44) 1.0
 put(44.11) weight(11) 450.0
 put(44.12) parcel(44) 1.0
 put(44.12) weight(12) 450.0
 put(44.13) parcel(44) 1.0
 put(44.13) weight(13) 450.0
 put(44.14) parcel(44) 1.0
 put(44.14) weight(14) 450.0
 put(44.15) parcel(44) 1.0
 put(44.15) weight(15) 450.0
 put(44.16) parcel(44) 1.0
 put(44.16) weight(16) 450.0
 put(44.17) parcel(44) 1.0
 put(44.17) weight(17) 450.0
 put(44.18) parcel(44) 1.0
 put(44.18) weight(18) 450.0
 put(44.19) parcel(44) 1.0
 put(44.19) weight(19) 450.0
 put(44.20) parcel(44) 1.0
 put(44.20) weight(20) 450.0
 put(44.21) parcel(44) 1.0
 put(44.21) weight(21) 450.0
 put(44.22) parcel(44) 1.0
 put(44.22) weight(22) 450.0
 put(44.23) parcel(44) 1.0
 put(44.23) weight(23) 450.0
 put(45.0) parcel(45) 1.0
 put(45.0) weight(0) 487.0
 put(45.1) parcel(45) 1.0
 put(45.1) weight(1) 487.0
 put(45.2) parcel(45) 1.0
 put(45.2) weight(2) 487.0
 put(45.3) parcel(45) 1.0
 put(45.3) weight(3) 487.0
 put(45.4) parcel(45) 1.0
 put(45.4) weight(4) 487.0
 put(45.5) parcel(45) 1.0
 put(45.5) weight(5) 487.0
 put(45.6) parcel(45) 1.0
 put(45.6) weight(6) 487.0
 put(45.7) parcel(45) 1.0
 put(45.7) weight(7) 487.0
 put(45.8) parcel(45) 1.0
 put(45.8) weight(8) 487.0
 put(45.9) parcel(45) 1.0
 put(45.9) weight(9) 487.0
 put(45.10) parcel(45) 1.0
 put(45.10) weight(10) 487.0
 put(45.11) parcel(45) 1.0
 put(45.11) weight(11) 487.0
 put(45.12) parcel(45) 1.0
 put(45.12) weight(12) 487.0
 put(45.13) parcel(45) 1.0
 put(45.13) weight(13) 487.0
 put(45.14) parcel(45) 1.0
 put(45.14) weight(14) 487.0
 put(45.15) parcel(45) 1.0
 put(45.15) weight(15) 487.0
 put(45.16) parcel(45) 1.0
 put(45.16) weight(16) 487.0
 put(45.17) parcel(45) 1.0
 put(45.17) weight(17) 487.0
 put(45.18) parcel(45) 1.0
 put(45.18) weight(18) 487.0
 put(45.19) parcel(45) 1.0
 put(45.19) weight(19) 487.0
 put(45.20) parcel(45) 1.0
 put(45.20) weight(20) 487.0
 put(45.21) parcel(45) 1.0
 put(45.21) weight(21) 487.0
 put(45.22) parcel(45) 1.0
 put(45.22) weight(22) 487.0
 put(45.23) parcel(45) 1.0
 put(45.23) weight(23) 487.0
 put(46.0) parcel(46) 1.0
 put(46.0) weight(0) 474.0
 put(46.1) parcel(46) 1.0
 put(46.1) weight(1) 474.0
 put(46.2) parcel(46) 1.0
 put(46.2) weight(2) 474.0
 put(46.3) parcel(46) 1.0
 put(46.3) weight(3) 474.0
 put(46.4) parcel(46) 1.0
 put(46.4) weight(4) 474.0
 put(46.5) parcel(46) 1.0
 put(46.5) weight(5) 474.0
 put(46.6) parcel(46) 1.0
 put(46.6) weight(6) 474.0
 put(46.7) parcel(46) 1.0
 put(46.7) weight(7) 474.0
 put(46.8) parcel(46) 1.0
 put(46.8) weight(8) 474.0
 put(46.9) parcel(46) 1.0
 put(46.9) weight(9) 474.0
 put(46.10) parcel(46) 1.0
 put(46.10) weight(10) 474.0
 put(46.11) parcel(46) 1.0
 put(46.11) weight(11) 474.0
 put(46.12) parcel(46) 1.0
 put(46.12) weight(12) 474.0
 put(46.13) parcel(46) 1.0
 put(46.13) weight(13) 474.0
 put(46.14) parcel(46) 1.0
 put(46.14) weight(14) 474.0
 put(46.15) parcel(46) 1.0
 put(46.15) weight(15) 474.0
 put(46.16) parcel(46) 1.0
 put(46.16) weight(16) 474.0
 put(46.17) parcel(46) 1.0
 put(46.17) weight(17) 474.0
 put(46.18) parcel(46) 1.0
 put(46.18) weight(18) 474.0
 put(46.19) parcel(46) 1.0
 put(46.19) weight(19) 474.0
 put(46.20) parcel(46) 1.0
 put(46.20) weight(20) 474.0
 put(46.21) parcel(46) 1.0
 put(46.21) weight(21) 474.0
 put(46.22) parcel(46) 1.0
 put(46.22) weight(22) 474.0
 put(46.23) parcel(46) 1.0
 put(46.23) weight(23) 474.0
 put(47.0) parcel(47) 1.0
 put(47.0) weight(0) 414.0
 put(47.1) parcel(47) 1.0
 put(47.1) weight(1) 414.0
 put(47.2) parcel(47) 1.0
 put(47.2) weight(2) 414.0
 put(47.3) parcel(47) 1.0
 put(47.3) weight(3) 414.0
 put(47.4) parcel(47) 1.0
 put(47.4) weight(4) 414.0
 put(47.5) parcel(47) 1.0
 put(47.5) weight(5) 414.0
 put(47.6) parcel(47) 1.0
 put(47.6) weight(6) 414.0
 put(47.7) parcel(47) 1.0
 put(47.7) weight(7) 414.0
 put(47.8) parcel(47) 1.0
 put(47.8) weight(8) 414.0
 put(47.9) parcel(47) 1.0
 put(47.9) weight(9) 414.0
 put(47.10) parcel(47) 1.0
 put(47.10) weight(10) 414.0
 put(47.11) parcel(47) 1.0
 put(47.11) weight(11) 414.0
 put(47.12) parcel(47) 1.0
 put(47.12) weight(12) 414.0
 put(47.13) parcel(47) 1.0
 put(47.13) weight(13) 414.0
 put(47.14) parcel(47) 1.0
 put(47.14) weight(14) 414.0
 put(47.15) parcel(47) 1.0
 put(47.15) weight(15) 414.0
 put(47.16) parcel(47) 1.0
 put(47.16) weight(16) 414.0
 put(47.17) parcel(47) 1.0
 put(47.17) weight(17) 414.0
 put(47.18) parcel(47) 1.0
 put(47.18) weight(18) 414.0
 put(47.19) parcel(47) 1.0
 put(47.19) weight(19) 414.0
 put(47.20) parcel(47) 1.0
 put(47.20) weight(20) 414.0
 put(47.21) parcel(47) 1.0
 put(47.21) weight(21) 414.0
 put(47.22) parcel(47) 1.0
 put(47.22) weight(22) 414.0
 put(47.23) parcel(47) 1.0
 put(47.23) weight(23) 414.0
 put(48.0) parcel(48) 1.0
 put(48.0) weight(0) 473.0
 put(48.1) parcel(48) 1.0
 put(48.1) weight(1) 473.0
 put(48.2) parcel(48) 1.0
 put(48.2) weight(2) 473.0
 put(48.3) parcel(48) 1.0
 put(48.3) weight(3) 473.0
 put(48.4) parcel(48) 1.0
 put(48.4) weight(4) 473.0
 put(48.5) parcel(48) 1.0
 put(48.5) weight(5) 473.0
 put(48.6) parcel(48) 1.0
 put(48.6) weight(6) 473.0
 put(48.7) parcel(48) 1.0
 put(48.7) weight(7) 473.0
 put(48.8) parcel(48) 1.0
 put(48.8) weight(8) 473.0
 put(48.9) parcel(48) 1.0
 put(48.9) weight(9) 473.0
 put(48.10) parcel(48) 1.0
 put(48.10) weight(10) 473.0
 put(48.11) parcel(48) 1.0
 put(48.11) weight(11) 473.0
 put(48.12) parcel(48) 1.0
 put(48.12) weight(12) 473.0
 put(48.13) parcel(48) 1.0
 put(48.13) weight(13) 473.0
 put(48.14) parcel(48) 1.0
 put(48.14) weight(14) 473.0
 put(48.15) parcel(48) 1.0
 put(48.15) weight(15) 473.0
 put(48.16) parcel(48) 1.0
 put(48.16) weight(16) 473.0
 put(48.17) parcel(48) 1.0
 put(48.17) weight(17) 473.0
 put(48.18) parcel(48) 1.0
 put(48.18) weight(18) 473.0
 put(48.19) parcel(48) 1.0
 put(48.19) weight(19) 473.0
 put(48.20) parcel(48) 1.0
 put(48.20) weight(20) 473.0
 put(48.21) parcel(48) 1.0
 put(48.21) weight(21) 473.0
 put(48.22) parcel(48) 1.0
 put(48.22) weight(22) 473.0
 put(48.23) parcel(48) 1.0
 put(48.23) weight(23) 473.0
 put(49.0) parcel(49) 1.0
 put(49.0) weight(0) 255.0
 put(49.1) parcel(49) 1.0
 put(49.1) weight(1) 255.0
 put(49.2) parcel(49) 1.0
 put(49.2) weight(2) 255.0
 put(49.3) parcel(49) 1.0
 put(49.3) weight(3) 255.0
 put(49.4) parcel(49) 1.0
 put(49.4) weight(4) 255.0
 put(49.5) parcel(49) 1.0
 put(49.5) weight(5) 255.0
 put(49.6) parcel(49) 1.0
 put(49.6) weight(6) 255.0
 put(49.7) parcel(49) 1.0
 put(49.7) weight(7) 255.0
 put(49.8) parcel(49) 1.0
 put(49.8) weight(8) 255.0
 put(49.9) parcel(49) 1.0
 put(49.9) weight(9) 255.0
 put(49.10) parcel(49) 1.0
 put(49.10) weight(10) 255.0
 put(49.11) parcel(49) 1.0
 put(49.11) weight(11) 255.0
 put(49.12) parcel(49) 1.0
 put(49.12) weight(12) 255.0
 put(49.13) parcel(49) 1.0
 put(49.13) weight(13) 255.0
 put(49.14) parcel(49) 1.0
 put(49.14) weight(14) 255.0
 put(49.15) parcel(49) 1.0
 put(49.15) weight(15) 255.0
 put(49.16) parcel(49) 1.0
 put(49.16) weight(16) 255.0
 put(49.17) parcel(49) 1.0
 put(49.17) weight(17) 255.0
 put(49.18) parcel(49) 1.0
 put(49.18) weight(18) 255.0
 put(49.19) parcel(49) 1.0
 put(49.19) weight(19) 255.0
 put(49.20) parcel(49) 1.0
 put(49.20) weight(20) 255.0
 put(49.21) parcel(49) 1.0
 put(49.21) weight(21) 255.0
 put(49.22) parcel(49) 1.0
 put(49.22) weight(22) 255.0
 put(49.23) parcel(49) 1.0
 put(49.23) weight(23) 255.0
 put(50.0) parcel(50) 1.0
 put(50.0) weight(0) 286.0
 put(50.1) parcel(50) 1.0
 put(50.1) weight(1) 286.0
 put(50.2) parcel(50) 1.0
 put(50.2) weight(2) 286.0
 put(50.3) parcel(50) 1.0
 put(50.3) weight(3) 286.0
 put(50.4) parcel(50) 1.0
 put(50.4) weight(4) 286.0
 put(50.5) parcel(50) 1.0
 put(50.5) weight(5) 286.0
 put(50.6) parcel(50) 1.0
 put(50.6) weight(6) 286.0
 put(50.7) parcel(50) 1.0
 put(50.7) weight(7) 286.0
 put(50.8) parcel(50) 1.0
 put(50.8) weight(8) 286.0
 put(50.9) parcel(50) 1.0
 put(50.9) weight(9) 286.0
 put(50.10) parcel(50) 1.0
 put(50.10) weight(10) 286.0
 put(50.11) parcel(50) 1.0
 put(50.11) weight(11) 286.0
 put(50.12) parcel(50) 1.0
 put(50.12) weight(12) 286.0
 put(50.13) parcel(50) 1.0
 put(50.13) weight(13) 286.0
 put(50.14) parcel(50) 1.0
 put(50.14) weight(14) 286.0
 put(50.15) parcel(50) 1.0
 put(50.15) weight(15) 286.0
 put(50.16) parcel(50) 1.0
 put(50.16) weight(16) 286.0
 put(50.17) parcel(50) 1.0
 put(50.17) weight(17) 286.0
 put(50.18) parcel(50) 1.0
 put(50.18) weight(18) 286.0
 put(50.19) parcel(50) 1.0
 put(50.19) weight(19) 286.0
 put(50.20) parcel(50) 1.0
 put(50.20) weight(20) 286.0
 put(50.21) parcel(50) 1.0
 put(50.21) weight(21) 286.0
 put(50.22) parcel(50) 1.0
 put(50.22) weight(22) 286.0
 put(50.23) parcel(50) 1.0
 put(50.23) weight(23) 286.0
 put(51.0) parcel(51) 1.0
 put(51.0) weight(0) 382.0
 put(51.1) parcel(51) 1.0
 put(51.1) weight(1) 382.0
 put(51.2) parcel(51) 1.0
 put(51.2) weight(2) 382.0
 put(51.3) parcel(51) 1.0
 put(51.3) weight(3) 382.0
 put(51.4) parcel(51) 1.0
 put(51.4) weight(4) 382.0
 put(51.5) parcel(51) 1.0
 put(51.5) weight(5) 382.0
 put(51.6) parcel(51) 1.0
 put(51.6) weight(6) 382.0
 put(51.7) parcel(51) 1.0
 put(51.7) weight(7) 382.0
 put(51.8) parcel(51) 1.0
 put(51.8) weight(8) 382.0
 put(51.9) parcel(51) 1.0
 put(51.9) weight(9) 382.0
 put(51.10) parcel(51) 1.0
 put(51.10) weight(10) 382.0
 put(51.11) parcel(51) 1.0
 put(51.11) weight(11) 382.0
 put(51.12) parcel(51) 1.0
 put(51.12) weight(12) 382.0
 put(51.13) parcel(51) 1.0
 put(51.13) weight(13) 382.0
 put(51.14) parcel(51) 1.0
 put(51.14) weight(14) 382.0
 put(51.15) parcel(51) 1.0
 put(51.15) weight(15) 382.0
 put(51.16) parcel(51) 1.0
 put(51.16) weight(16) 382.0
 put(51.17) parcel(51) 1.0
 put(51.17) weight(17) 382.0
 put(51.18) parcel(51) 1.0
 put(51.18) weight(18) 382.0
 put(51.19) parcel(51) 1.0
 put(51.19) weight(19) 382.0
 put(51.20) parcel(51) 1.0
 put(51.20) weight(20) 382.0
 put(51.21) parcel(51) 1.0
 put(51.21) weight(21) 382.0
 put(51.22) parcel(51) 1.0
 put(51.22) weight(22) 382.0
 put(51.23) parcel(51) 1.0
 put(51.23) weight(23) 382.0
 put(52.0) parcel(52) 1.0
 put(52.0) weight(0) 283.0
 put(52.1) parcel(52) 1.0
 put(52.1) weight(1) 283.0
 put(52.2) parcel(52) 1.0
 put(52.2) weight(2) 283.0
 put(52.3) parcel(52) 1.0
 put(52.3) weight(3) 283.0
 put(52.4) parcel(52) 1.0
 put(52.4) weight(4) 283.0
 put(52.5) parcel(52) 1.0
 put(52.5) weight(5) 283.0
 put(52.6) parcel(52) 1.0
 put(52.6) weight(6) 283.0
 put(52.7) parcel(52) 1.0
 put(52.7) weight(7) 283.0
 put(52.8) parcel(52) 1.0
 put(52.8) weight(8) 283.0
 put(52.9) parcel(52) 1.0
 put(52.9) weight(9) 283.0
 put(52.10) parcel(52) 1.0
 put(52.10) weight(10) 283.0
 put(52.11) parcel(52) 1.0
 put(52.11) weight(11) 283.0
 put(52.12) parcel(52) 1.0
 put(52.12) weight(12) 283.0
 put(52.13) parcel(52) 1.0
 put(52.13) weight(13) 283.0
 put(52.14) parcel(52) 1.0
 put(52.14) weight(14) 283.0
 put(52.15) parcel(52) 1.0
 put(52.15) weight(15) 283.0
 put(52.16) parcel(52) 1.0
 put(52.16) weight(16) 283.0
 put(52.17) parcel(52) 1.0
 put(52.17) weight(17) 283.0
 put(52.18) parcel(52) 1.0
 put(52.18) weight(18) 283.0
 put(52.19) parcel(52) 1.0
 put(52.19) weight(19) 283.0
 put(52.20) parcel(52) 1.0
 put(52.20) weight(20) 283.0
 put(52.21) parcel(52) 1.0
 put(52.21) weight(21) 283.0
 put(52.22) parcel(52) 1.0
 put(52.22) weight(22) 283.0
 put(52.23) parcel(52) 1.0
 put(52.23) weight(23) 283.0
 put(53.0) parcel(53) 1.0
 put(53.0) weight(0) 389.0
 put(53.1) parcel(53) 1.0
 put(53.1) weight(1) 389.0
 put(53.2) parcel(53) 1.0
 put(53.2) weight(2) 389.0
 put(53.3) parcel(53) 1.0
 put(53.3) weight(3) 389.0
 put(53.4) parcel(53) 1.0
 put(53.4) weight(4) 389.0
 put(53.5) parcel(53) 1.0
 put(53.5) weight(5) 389.0
 put(53.6) parcel(53) 1.0
 put(53.6) weight(6) 389.0
 put(53.7) parcel(53) 1.0
 put(53.7) weight(7) 389.0
 put(53.8) parcel(53) 1.0
 put(53.8) weight(8) 389.0
 put(53.9) parcel(53) 1.0
 put(53.9) weight(9) 389.0
 put(53.10) parcel(53) 1.0
 put(53.10) weight(10) 389.0
 put(53.11) parcel(53) 1.0
 put(53.11) weight(11) 389.0
 put(53.12) parcel(53) 1.0
 put(53.12) weight(12) 389.0
 put(53.13) parcel(53) 1.0
 put(53.13) weight(13) 389.0
 put(53.14) parcel(53) 1.0
 put(53.14) weight(14) 389.0
 put(53.15) parcel(53) 1.0
 put(53.15) weight(15) 389.0
 put(53.16) parcel(53) 1.0
 put(53.16) weight(16) 389.0
 put(53.17) parcel(53) 1.0
 put(53.17) weight(17) 389.0
 put(53.18) parcel(53) 1.0
 put(53.18) weight(18) 389.0
 put(53.19) parcel(53) 1.0
 put(53.19) weight(19) 389.0
 put(53.20) parcel(53) 1.0
 put(53.20) weight(20) 389.0
 put(53.21) parcel(53) 1.0
 put(53.21) weight(21) 389.0
 put(53.22) parcel(53) 1.0
 put(53.22) weight(22) 389.0
 put(53.23) parcel(53) 1.0
 put(53.23) weight(23) 389.0
 put(54.0) parcel(54) 1.0
 put(54.0) weight(0) 298.0
 put(54.1) parcel(54) 1.0
 put(54.1) weight(1) 298.0
 put(54.2) parcel(54) 1.0
 put(54.2) weight(2) 298.0
 put(54.3) parcel(54) 1.0
 put(54.3) weight(3) 298.0
 put(54.4) parcel(54) 1.0
 put(54.4) weight(4) 298.0
 put(54.5) parcel(54) 1.0
 put(54.5) weight(5) 298.0
 put(54.6) parcel(54) 1.0
 put(54.6) weight(6) 298.0
 put(54.7) parcel(54) 1.0
 put(54.7) weight(7) 298.0
 put(54.8) parcel(54) 1.0
 put(54.8) weight(8) 298.0
 put(54.9) parcel(54) 1.0
 put(54.9) weight(9) 298.0
 put(54.10) parcel(54) 1.0
 put(54.10) weight(10) 298.0
 put(54.11) parcel(54) 1.0
 put(54.11) weight(11) 298.0
 put(54.12) parcel(54) 1.0
 put(54.12) weight(12) 298.0
 put(54.13) parcel(54) 1.0
 put(54.13) weight(13) 298.0
 put(54.14) parcel(54) 1.0
 put(54.14) weight(14) 298.0
 put(54.15) parcel(54) 1.0
 put(54.15) weight(15) 298.0
 put(54.16) parcel(54) 1.0
 put(54.16) weight(16) 298.0
 put(54.17) parcel(54) 1.0
 put(54.17) weight(17) 298.0
 put(54.18) parcel(54) 1.0
 put(54.18) weight(18) 298.0
 put(54.19) parcel(54) 1.0
 put(54.19) weight(19) 298.0
 put(54.20) parcel(54) 1.0
 put(54.20) weight(20) 298.0
 put(54.21) parcel(54) 1.0
 put(54.21) weight(21) 298.0
 put(54.22) parcel(54) 1.0
 put(54.22) weight(22) 298.0
 put(54.23) parcel(54) 1.0
 put(54.23) weight(23) 298.0
 put(55.0) parcel(55) 1.0
 put(55.0) weight(0) 308.0
 put(55.1) parcel(55) 1.0
 put(55.1) weight(1) 308.0
 put(55.2) parcel(55) 1.0
 put(55.2) weight(2) 308.0
 put(55.3) parcel(55) 1.0
 put(55.3) weight(3) 308.0
 put(55.4) parcel(55) 1.0
 put(55.4) weight(4) 308.0
 put(55.5) parcel(55) 1.0
 put(55.5) weight(5) 308.0
 put(55.6) parcel(55) 1.0
 put(55.6) weight(6) 308.0
 put(55.7) parcel(55) 1.0
 put(55.7) weight(7) 308.0
 put(55.8) parcel(55) 1.0
 put(55.8) weight(8) 308.0
 put(55.9) parcel(55) 1.0
 put(55.9) weight(9) 308.0
 put(55.10) parcel(55) 1.0
 put(55.10) weight(10) 308.0
 put(55.11) parcel(55) 1.0
 put(55.11) weight(11) 308.0
 put(55.12) parcel(55) 1.0
 put(55.12) weight(12) 308.0
 put(55.13) parcel(55) 1.0
 put(55.13) weight(13) 308.0
 put(55.14) parcel(55) 1.0
 put(55.14) weight(14) 308.0
 put(55.15) parcel(55) 1.0
 put(55.15) weight(15) 308.0
 put(55.16) parcel(55) 1.0
 put(55.16) weight(16) 308.0
 put(55.17) parcel(55) 1.0
 put(55.17) weight(17) 308.0
 put(55.18) parcel(55) 1.0
 put(55.18) weight(18) 308.0
 put(55.19) parcel(55) 1.0
 put(55.19) weight(19) 308.0
 put(55.20) parcel(55) 1.0
 put(55.20) weight(20) 308.0
 put(55.21) parcel(55) 1.0
 put(55.21) weight(21) 308.0
 put(55.22) parcel(55) 1.0
 put(55.22) weight(22) 308.0
 put(55.23) parcel(55) 1.0
 put(55.23) weight(23) 308.0
 put(56.0) parcel(56) 1.0
 put(56.0) weight(0) 264.0
 put(56.1) parcel(56) 1.0
 put(56.1) weight(1) 264.0
 put(56.2) parcel(56) 1.0
 put(56.2) weight(2) 264.0
 put(56.3) parcel(56) 1.0
 put(56.3) weight(3) 264.0
 put(56.4) parcel(56) 1.0
 put(56.4) weight(4) 264.0
 put(56.5) parcel(56) 1.0
 put(56.5) weight(5) 264.0
 put(56.6) parcel(56) 1.0
 put(56.6) weight(6) 264.0
 put(56.7) parcel(56) 1.0
 put(56.7) weight(7) 264.0
 put(56.8) parcel(56) 1.0
 put(56.8) weight(8) 264.0
 put(56.9) parcel(56) 1.0
 put(56.9) weight(9) 264.0
 put(56.10) parcel(56) 1.0
 put(56.10) weight(10) 264.0
 put(56.11) parcel(56) 1.0
 put(56.11) weight(11) 264.0
 put(56.12) parcel(56) 1.0
 put(56.12) weight(12) 264.0
 put(56.13) parcel(56) 1.0
 put(56.13) weight(13) 264.0
 put(56.14) parcel(56) 1.0
 put(56.14) weight(14) 264.0
 put(56.15) parcel(56) 1.0
 put(56.15) weight(15) 264.0
 put(56.16) parcel(56) 1.0
 put(56.16) weight(16) 264.0
 put(56.17) parcel(56) 1.0
 put(56.17) weight(17) 264.0
 put(56.18) parcel(56) 1.0
 put(56.18) weight(18) 264.0
 put(56.19) parcel(56) 1.0
 put(56.19) weight(19) 264.0
 put(56.20) parcel(56) 1.0
 put(56.20) weight(20) 264.0
 put(56.21) parcel(56) 1.0
 put(56.21) weight(21) 264.0
 put(56.22) parcel(56) 1.0
 put(56.22) weight(22) 264.0
 put(56.23) parcel(56) 1.0
 put(56.23) weight(23) 264.0
 put(57.0) parcel(57) 1.0
 put(57.0) weight(0) 303.0
 put(57.1) parcel(57) 1.0
 put(57.1) weight(1) 303.0
 put(57.2) parcel(57) 1.0
 put(57.2) weight(2) 303.0
 put(57.3) parcel(57) 1.0
 put(57.3) weight(3) 303.0
 put(57.4) parcel(57) 1.0
 put(57.4) weight(4) 303.0
 put(57.5) parcel(57) 1.0
 put(57.5) weight(5) 303.0
 put(57.6) parcel(57) 1.0
 put(57.6) weight(6) 303.0
 put(57.7) parcel(57) 1.0
 put(57.7) weight(7) 303.0
 put(57.8) parcel(57) 1.0
 put(57.8) weight(8) 303.0
 put(57.9) parcel(57) 1.0
 put(57.9) weight(9) 303.0
 put(57.10) parcel(57) 1.0
 put(57.10) weight(10) 303.0
 put(57.11) parcel(57) 1.0
 put(57.11) weight(11) 303.0
 put(57.12) parcel(57) 1.0
 put(57.12) weight(12) 303.0
 put(57.13) parcel(57) 1.0
 put(57.13) weight(13) 303.0
 put(57.14) parcel(57) 1.0
 put(57.14) weight(14) 303.0
 put(57.15) parcel(57) 1.0
 put(57.15) weight(15) 303.0
 put(57.16) parcel(57) 1.0
 put(57.16) weight(16) 303.0
 put(57.17) parcel(57) 1.0
 put(57.17) weight(17) 303.0
 put(57.18) parcel(57) 1.0
 put(57.18) weight(18) 303.0
 put(57.19) parcel(57) 1.0
 put(57.19) weight(19) 303.0
 put(57.20) parcel(57) 1.0
 put(57.20) weight(20) 303.0
 put(57.21) parcel(57) 1.0
 put(57.21) weight(21) 303.0
 put(57.22) parcel(57) 1.0
 put(57.22) weight(22) 303.0
 put(57.23) parcel(57) 1.0
 put(57.23) weight(23) 303.0
 put(58.0) parcel(58) 1.0
 put(58.0) weight(0) 251.0
 put(58.1) parcel(58) 1.0
 put(58.1) weight(1) 251.0
 put(58.2) parcel(58) 1.0
 put(58.2) weight(2) 251.0
 put(58.3) parcel(58) 1.0
 put(58.3) weight(3) 251.0
 put(58.4) parcel(58) 1.0
 put(58.4) weight(4) 251.0
 put(58.5) parcel(58) 1.0
 put(58.5) weight(5) 251.0
 put(58.6) parcel(58) 1.0
 put(58.6) weight(6) 251.0
 put(58.7) parcel(58) 1.0
 put(58.7) weight(7) 251.0
 put(58.8) parcel(58) 1.0
 put(58.8) weight(8) 251.0
 put(58.9) parcel(58) 1.0
 put(58.9) weight(9) 251.0
 put(58.10) parcel(58) 1.0
 put(58.10) weight(10) 251.0
 put(58.11) parcel(58) 1.0
 put(58.11) weight(11) 251.0
 put(58.12) parcel(58) 1.0
 put(58.12) weight(12) 251.0
 put(58.13) parcel(58) 1.0
 put(58.13) weight(13) 251.0
 put(58.14) parcel(58) 1.0
 put(58.14) weight(14) 251.0
 put(58.15) parcel(58) 1.0
 put(58.15) weight(15) 251.0
 put(58.16) parcel(58) 1.0
 put(58.16) weight(16) 251.0
 put(58.17) parcel(58) 1.0
 put(58.17) weight(17) 251.0
 put(58.18) parcel(58) 1.0
 put(58.18) weight(18) 251.0
 put(58.19) parcel(58) 1.0
 put(58.19) weight(19) 251.0
 put(58.20) parcel(58) 1.0
 put(58.20) weight(20) 251.0
 put(58.21) parcel(58) 1.0
 put(58.21) weight(21) 251.0
 put(58.22) parcel(58) 1.0
 put(58.22) weight(22) 251.0
 put(58.23) parcel(58) 1.0
 put(58.23) weight(23) 251.0
 put(59.0) parcel(59) 1.0
 put(59.0) weight(0) 399.0
 put(59.1) parcel(59) 1.0
 put(59.1) weight(1) 399.0
 put(59.2) parcel(59) 1.0
 put(59.2) weight(2) 399.0
 put(59.3) parcel(59) 1.0
 put(59.3) weight(3) 399.0
 put(59.4) parcel(59) 1.0
 put(59.4) weight(4) 399.0
 put(59.5) parcel(59) 1.0
 put(59.5) weight(5) 399.0
 put(59.6) parcel(59) 1.0
 put(59.6) weight(6) 399.0
 put(59.7) parcel(59) 1.0
 put(59.7) weight(7) 399.0
 put(59.8) parcel(59) 1.0
 put(59.8) weight(8) 399.0
 put(59.9) parcel(59) 1.0
 put(59.9) weight(9) 399.0
 put(59.10) parcel(59) 1.0
 put(59.10) weight(10) 399.0
 put(59.11) parcel(59) 1.0
 put(59.11) weight(11) 399.0
 put(59.12) parcel(59) 1.0
 put(59.12) weight(12) 399.0
 put(59.13) parcel(59) 1.0
 put(59.13) weight(13) 399.0
 put(59.14) parcel(59) 1.0
 put(59.14) weight(14) 399.0
 put(59.15) parcel(59) 1.0
 put(59.15) weight(15) 399.0
 put(59.16) parcel(59) 1.0
 put(59.16) weight(16) 399.0
 put(59.17) parcel(59) 1.0
 put(59.17) weight(17) 399.0
 put(59.18) parcel(59) 1.0
 put(59.18) weight(18) 399.0
 put(59.19) parcel(59) 1.0
 put(59.19) weight(19) 399.0
 put(59.20) parcel(59) 1.0
 put(59.20) weight(20) 399.0
 put(59.21) parcel(59) 1.0
 put(59.21) weight(21) 399.0
 put(59.22) parcel(59) 1.0
 put(59.22) weight(22) 399.0
 put(59.23) parcel(59) 1.0
 put(59.23) weight(23) 399.0
 van(0) obj 1.0
 van(0) weight(0) -1000.0
 van(1) obj 1.0
 van(1) weight(1) -1000.0
 van(2) obj 1.0
 van(2) weight(2) -1000.0
 van(3) obj 1.0
 van(3) weight(3) -1000.0
 van(4) obj 1.0
 van(4) weight(4) -1000.0
 van(5) obj 1.0
 van(5) weight(5) -1000.0
 van(6) obj 1.0
 van(6) weight(6) -1000.0
 van(7) obj 1.0
 van(7) weight(7) -1000.0
 van(8) obj 1.0
 van(8) weight(8) -1000.0
 van(9) obj 1.0
 van(9) weight(9) -1000.0
 van(10) obj 1.0
 van(10) weight(10) -1000.0
 van(11) obj 1.0
 van(11) weight(11) -1000.0
 van(12) obj 1.0
 van(12) weight(12) -1000.0
 van(13) obj 1.0
 van(13) weight(13) -1000.0
 van(14) obj 1.0
 van(14) weight(14) -1000.0
 van(15) obj 1.0
 van(15) weight(15) -1000.0
 van(16) obj 1.0
 van(16) weight(16) -1000.0
 van(17) obj 1.0
 van(17) weight(17) -1000.0
 van(18) obj 1.0
 van(18) weight(18) -1000.0
 van(19) obj 1.0
 van(19) weight(19) -1000.0
 van(20) obj 1.0
 van(20) weight(20) -1000.0
 van(21) obj 1.0
 van(21) weight(21) -1000.0
 van(22) obj 1.0
 van(22) weight(22) -1000.0
 van(23) obj 1.0
 van(23) weight(23) -1000.0
 MARKER 'MARKER' 'INTEND'
RHS
 RHS parcel(0) 1.0
 RHS parcel(1) 1.0
 RHS parcel(2) 1.0
 RHS parcel(3) 1.0
 RHS parcel(4) 1.0
 RHS parcel(5) 1.0
 RHS parcel(6) 1.0
 RHS parcel(7) 1.0
 RHS parcel(8) 1.0
 RHS parcel(9) 1.0
 RHS parcel(10) 1.0
 RHS parcel(11) 1.0
 RHS parcel(12) 1.0
 RHS parcel(13) 1.0
 RHS parcel(14) 1.0
 RHS parcel(15) 1.0
 RHS parcel(16) 1.0
 RHS parcel(17) 1.0
 RHS parcel(18) 1.0
 RHS parcel(19) 1.0
 RHS parcel(20) 1.0
 RHS parcel(21) 1.0
 RHS parcel(22) 1.0
 RHS parcel(23) 1.0
 RHS parcel(24) 1.0
 RHS parcel(25) 1.0
 RHS parcel(26) 1.0
 RHS parcel(27) 1.0
 RHS parcel(28) 1.0
 RHS parcel(29) 1.0
 RHS parcel(30) 1.0
 RHS parcel(31) 1.0
 RHS parcel(32) 1.0
 RHS parcel(33) 1.0
 RHS parcel(34) 1.0
 RHS parcel(35) 1.0
 RHS parcel(36) 1.0
 RHS parcel(37) 1.0
 RHS parcel(38) 1.0
 RHS parcel(39) 1.0
 RHS parcel(40) 1.0
 RHS parcel(41) 1.0
 RHS parcel(42) 1.0
 RHS parcel(43) 1.0
 RHS parcel(44) 1.0
 RHS parcel(45) 1.0
 RHS parcel(46) 1.0
 RHS parcel(47) 1.0
 RHS parcel(48) 1.0
 RHS parcel(49) 1.0
 RHS parcel(50) 1.0
 RHS parcel(51) 1.0
 RHS parcel(52) 1.0
 RHS parcel(53) 1.0
 RHS parcel(54) 1.0
 RHS parcel(55) 1.0
 RHS parcel(56) 1.0
 RHS parcel(57) 1.0
 RHS parcel(58) 1.0
 RHS parcel(59) 1.0
BOUNDS
 LO BND put(0.0) 0.0
 UP BND put(0.0) 1.0
 LO BND put(0.1) 0.0
 UP BND put(0.1) 1.0
 LO BND put(0.2) 0.0
 UP BND put(0.2) 1.0
 LO BND put(0.3) 0.0
 UP BND put(0.3) 1.0
 LO BND put(0.4) 0.0
 UP BND put(0.4) 1.0
 LO BND put(0.5) 0.0
 UP BND put(0.5) 1.0
 LO BND put(0.6) 0.0
 UP BND put(0.6) 1.0
 LO BND put(0.7) 0.0
 UP BND put(0.7) 1.0
 LO BND put(0.8) 0.0
 UP BND put(0.8) 1.0
 LO BND put(0.9) 0.0
 UP BND put(0.9) 1.0
 LO BND put(0.10) 0.0
 UP BND put(0.10) 1.0
 LO BND put(0.11) 0.0
 UP BND put(0.11) 1.0
 LO BND put(0.12) 0.0
 UP BND put(0.12) 1.0
 LO BND put(0.13) 0.0
 UP BND put(0.13) 1.0
 LO BND put(0.14) 0.0
 UP BND put(0.14) 1.0
 LO BND put(0.15) 0.0
 UP BND put(0.15) 1.0
 LO BND put(0.16) 0.0
 UP BND put(0.16) 1.0
 LO BND put(0.17) 0.0
 UP BND put(0.17) 1.0
 LO BND put(0.18) 0.0
 UP BND put(0.18) 1.0
 LO BND put(0.19) 0.0
 UP BND put(0.19) 1.0
 LO BND put(0.20) 0.0
 UP BND put(0.20) 1.0
 LO BND put(0.21) 0.0
 UP BND put(0.21) 1.0
 LO BND put(0.22) 0.0
 UP BND put(0.22) 1.0
 LO BND put(0.23) 0.0
 UP BND put(0.23) 1.0
 LO BND put(1.0) 0.0
 UP BND put(1.0) 1.0
 LO BND put(1.1) 0.0
 UP BND put(1.1) 1.0
 LO BND put(1.2) 0.0
 UP BND put(1.2) 1.0
 LO BND put(1.3) 0.0
 UP BND put(1.3) 1.0
 LO BND put(1.4) 0.0
 UP BND put(1.4) 1.0
 LO BND put(1.5) 0.0
 UP BND put(1.5) 1.0
 LO BND put(1.6) 0.0
 UP BND put(1.6) 1.0
 LO BND put(1.7) 0.0
 UP BND put(1.7) 1.0
 LO BND put(1.8) 0.0
 UP BND put(1.8) 1.0
 LO BND put(1.9) 0.0
 UP BND put(1.9) 1.0
 LO BND put(1.10) 0.0
 UP BND put(1.10) 1.0
 LO BND put(1.11) 0.0
 UP BND put(1.11) 1.0
 LO BND put(1.12) 0.0
 UP BND put(1.12) 1.0
 LO BND put(1.13) 0.0
 UP BND put(1.13) 1.0
 LO BND put(1.14) 0.0
 UP BND put(1.14) 1.0
 LO BND put(1.15) 0.0
 UP BND put(1.15) 1.0
 LO BND put(1.16) 0.0
 UP BND put(1.16) 1.0
 LO BND put(1.17) 0.0
 UP BND put(1.17) 1.0
 LO BND put(1.18) 0.0
 UP BND put(1.18) 1.0
 LO BND put(1.19) 0.0
 UP BND put(1.19) 1.0
 LO BND put(1.20) 0.0
 UP BND put(1.20) 1.0
 LO BND put(1.21) 0.0
 UP BND put(1.21) 1.0
 LO BND put(1.22) 0.0
 UP BND put(1.22) 1.0
 LO BND put(1.23) 0.0
 UP BND put(1.23) 1.0
 LO BND put(2.0) 0.0
 UP BND put(2.0) 1.0
 LO BND put(2.1) 0.0
 UP BND put(2.1) 1.0
 LO BND put(2.2) 0.0
 UP BND put(2.2) 1.0
 LO BND put(2.3) 0.0
 UP BND put(2.3) 1.0
 LO BND put(2.4) 0.0
 UP BND put(2.4) 1.0
 LO BND put(2.5) 0.0
 UP BND put(2.5) 1.0
 LO BND put(2.6) 0.0
 UP BND put(2.6) 1.0
 LO BND put(2.7) 0.0
 UP BND put(2.7) 1.0
 LO BND put(2.8) 0.0
 UP BND put(2.8) 1.0
 LO BND put(2.9) 0.0
 UP BND put(2.9) 1.0
 LO BND put(2.10) 0.0
 UP BND put(2.10) 1.0
 LO BND put(2.11) 0.0
 UP BND put(2.11) 1.0
 LO BND put(2.12) 0.0
 UP BND put(2.12) 1.0
 LO BND put(2.13) 0.0
 UP BND put(2.13) 1.0
 LO BND put(2.14) 0.0
 UP BND put(2.14) 1.0
 LO BND put(2.15) 0.0
 UP BND put(2.15) 1.0
 LO BND put(2.16) 0.0
 UP BND put(2.16) 1.0
 LO BND put(2.17) 0.0
 UP BND put(2.17) 1.0
 LO BND put(2.18) 0.0
 UP BND put(2.18) 1.0
 LO BND put(2.19) 0.0
 UP BND put(2.19) 1.0
 LO BND put(2.20) 0.0
 UP BND put(2.20) 1.0
 LO BND put(2.21) 0.0
 UP BND put(2.21) 1.0
 LO BND put(2.22) 0.0
 UP BND put(2.22) 1.0
 LO BND put(2.23) 0.0
 UP BND put(2.23) 1.0
 LO BND put(3.0) 0.0
 UP BND put(3.0) 1.0
 LO BND put(3.1) 0.0
 UP BND put(3.1) 1.0
 LO BND put(3.2) 0.0
 UP BND put(3.2) 1.0
 LO BND put(3.3) 0.0
 UP BND put(3.3) 1.0
 LO BND put(3.4) 0.0
 UP BND put(3.4) 1.0
 LO BND put(3.5) 0.0
 UP BND put(3.5) 1.0
 LO BND put(3.6) 0.0
 UP BND put(3.6) 1.0
 LO BND put(3.7) 0.0
 UP BND put(3.7) 1.0
 LO BND put(3.8) 0.0
 UP BND put(3.8) 1.0
 LO BND put(3.9) 0.0
 UP BND put(3.9) 1.0
 LO BND put(3.10) 0.0
 UP BND put(3.10) 1.0
 LO BND put(3.11) 0.0
 UP BND put(3.11) 1.0
 LO BND put(3.12) 0.0
 UP BND put(3.12) 1.0
 LO BND put(3.13) 0.0
 UP BND put(3.13) 1.0
 LO BND put(3.14) 0.0
 UP BND put(3.14) 1.0
 LO BND put(3.15) 0.0
 UP BND put(3.15) 1.0
 LO BND put(3.16) 0.0
 UP BND put(3.16) 1.0
 LO BND put(3.17) 0.0
 UP BND put(3.17) 1.0
 LO BND put(3.18) 0.0
 UP BND put(3.18) 1.0
 LO BND put(3.19) 0.0
 UP BND put(3.19) 1.0
 LO BND put(3.20) 0.0
 UP BND put(3.20) 1.0
 LO BND put(3.21) 0.0
 UP BND put(3.21) 1.0
 LO BND put(3.22) 0.0
 UP BND put(3.22) 1.0
 LO BND put(3.23) 0.0
 UP BND put(3.23) 1.0
 LO BND put(4.0) 0.0
 UP BND put(4.0) 1.0
 LO BND put(4.1) 0.0
 UP BND put(4.1) 1.0
 LO BND put(4.2) 0.0
 UP BND put(4.2) 1.0
 LO BND put(4.3) 0.0
 UP BND put(4.3) 1.0
 LO BND put(4.4) 0.0
 UP BND put(4.4) 1.0
 LO BND put(4.5) 0.0
 UP BND put(4.5) 1.0
 LO BND put(4.6) 0.0
 UP BND put(4.6) 1.0
 LO BND put(4.7) 0.0
 UP BND put(4.7) 1.0
 LO BND put(4.8) 0.0
 UP BND put(4.8) 1.0
 LO BND put(4.9) 0.0
 UP BND put(4.9) 1.0
 LO BND put(4.10) 0.0
 UP BND put(4.10) 1.0
 LO BND put(4.11) 0.0
 UP BND put(4.11) 1.0
 LO BND put(4.12) 0.0
 UP BND put(4.12) 1.0
 LO BND put(4.13) 0.0
 UP BND put(4.13) 1.0
 LO BND put(4.14) 0.0
 UP BND put(4.14) 1.0
 LO BND put(4.15) 0.0
 UP BND put(4.15) 1.0
 LO BND put(4.16) 0.0
 UP BND put(4.16) 1.0
 LO BND put(4.17) 0.0
 UP BND put(4.17) 1.0
 LO BND put(4.18) 0.0
 UP BND put(4.18) 1.0
 LO BND put(4.19) 0.0
 UP BND put(4.19) 1.0
 LO BND put(4.20) 0.0
 UP BND put(4.20) 1.0
 LO BND put(4.21) 0.0
 UP BND put(4.21) 1.0
 LO BND put(4.22) 0.0
 UP BND put(4.22) 1.0
 LO BND put(4.23) 0.0
 UP BND put(4.23) 1.0
 LO BND put(5.0) 0.0
 UP BND put(5.0) 1.0
 LO BND put(5.1) 0.0
 UP BND put(5.1) 1.0
 LO BND put(5.2) 0.0
 UP BND put(5.2) 1.0
 LO BND put(5.3) 0.0
 UP BND put(5.3) 1.0
 LO BND put(5.4) 0.0
 UP BND put(5.4) 1.0
 LO BND put(5.5) 0.0
 UP BND put(5.5) 1.0
 LO BND put(5.6) 0.0
 UP BND put(5.6) 1.0
 LO BND put(5.7) 0.0
 UP BND put(5.7) 1.0
 LO BND put(5.8) 0.0
 UP BND put(5.8) 1.0
 LO BND put(5.9) 0.0
 UP BND put(5.9) 1.0
 LO BND put(5.10) 0.0
 UP BND put(5.10) 1.0
 LO BND put(5.11) 0.0
 UP BND put(5.11) 1.0
 LO BND put(5.12) 0.0
 UP BND put(5.12) 1.0
 LO BND put(5.13) 0.0
 UP BND put(5.13) 1.0
 LO BND put(5.14) 0.0
 UP BND put(5.14) 1.0
 LO BND put(5.15) 0.0
 UP BND put(5.15) 1.0
 LO BND put(5.16) 0.0
 UP BND put(5.16) 1.0
 LO BND put(5.17) 0.0
 UP BND put(5.17) 1.0
 LO BND put(5.18) 0.0
 UP BND put(5.18) 1.0
 LO BND put(5.19) 0.0
 UP BND put(5.19) 1.0
 LO BND put(5.20) 0.0
 UP BND put(5.20) 1.0
 LO BND put(5.21) 0.0
 UP BND put(5.21) 1.0
 LO BND put(5.22) 0.0
 UP BND put(5.22) 1.0
 LO BND put(5.23) 0.0
 UP BND put(5.23) 1.0
 LO BND put(6.0) 0.0
 UP BND put(6.0) 1.0
 LO BND put(6.1) 0.0
 UP BND put(6.1) 1.0
 LO BND put(6.2) 0.0
 UP BND put(6.2) 1.0
 LO BND put(6.3) 0.0
 UP BND put(6.3) 1.0
 LO BND put(6.4) 0.0
 UP BND put(6.4) 1.0
 LO BND put(6.5) 0.0
 UP BND put(6.5) 1.0
 LO BND put(6.6) 0.0
 UP BND put(6.6) 1.0
 LO BND put(6.7) 0.0
 UP BND put(6.7) 1.0
 LO BND put(6.8) 0.0
 UP BND put(6.8) 1.0
 LO BND put(6.9) 0.0
 UP BND put(6.9) 1.0
 LO BND put(6.10) 0.0
 UP BND put(6.10) 1.0
 LO BND put(6.11) 0.0
 UP BND put(6.11) 1.0
 LO BND put(6.12) 0.0
 UP BND put(6.12) 1.0
 LO BND put(6.13) 0.0
 UP BND put(6.13) 1.0
 LO BND put(6.14) 0.0
 UP BND put(6.14) 1.0
 LO BND put(6.15) 0.0
 UP BND put(6.15) 1.0
 LO BND put(6.16) 0.0
 UP BND put(6.16) 1.0
 LO BND put(6.17) 0.0
 UP BND put(6.17) 1.0
 LO BND put(6.18) 0.0
 UP BND put(6.18) 1.0
 LO BND put(6.19) 0.0
 UP BND put(6.19) 1.0
 LO BND put(6.20) 0.0
 UP BND put(6.20) 1.0
 LO BND put(6.21) 0.0
 UP BND put(6.21) 1.0
 LO BND put(6.22) 0.0
 UP BND put(6.22) 1.0
 LO BND put(6.23) 0.0
 UP BND put(6.23) 1.0
 LO BND put(7.0) 0.0
 UP BND put(7.0) 1.0
 LO BND put(7.1) 0.0
 UP BND put(7.1) 1.0
 LO BND put(7.2) 0.0
 UP BND put(7.2) 1.0
 LO BND put(7.3) 0.0
 UP BND put(7.3) 1.0
 LO BND put(7.4) 0.0
 UP BND put(7.4) 1.0
 LO BND put(7.5) 0.0
 UP BND put(7.5) 1.0
 LO BND put(7.6) 0.0
 UP BND put(7.6) 1.0
 LO BND put(7.7) 0.0
 UP BND put(7.7) 1.0
 LO BND put(7.8) 0.0
 UP BND put(7.8) 1.0
 LO BND put(7.9) 0.0
 UP BND put(7.9) 1.0
 LO BND put(7.10) 0.0
 UP BND put(7.10) 1.0
 LO BND put(7.11) 0.0
 UP BND put(7.11) 1.0
 LO BND put(7.12) 0.0
 UP BND put(7.12) 1.0
 LO BND put(7.13) 0.0
 UP BND put(7.13) 1.0
 LO BND put(7.14) 0.0
 UP BND put(7.14) 1.0
 LO BND put(7.15) 0.0
 UP BND put(7.15) 1.0
 LO BND put(7.16) 0.0
 UP BND put(7.16) 1.0
 LO BND put(7.17) 0.0
 UP BND put(7.17) 1.0
 LO BND put(7.18) 0.0
 UP BND put(7.18) 1.0
 LO BND put(7.19) 0.0
 UP BND put(7.19) 1.0
 LO BND put(7.20) 0.0
 UP BND put(7.20) 1.0
 LO BND put(7.21) 0.0
 UP BND put(7.21) 1.0
 LO BND put(7.22) 0.0
 UP BND put(7.22) 1.0
 LO BND put(7.23) 0.0
 UP BND put(7.23) 1.0
 LO BND put(8.0) 0.0
 UP BND put(8.0) 1.0
 LO BND put(8.1) 0.0
 UP BND put(8.1) 1.0
 LO BND put(8.2) 0.0
 UP BND put(8.2) 1.0
 LO BND put(8.3) 0.0
 UP BND put(8.3) 1.0
 LO BND put(8.4) 0.0
 UP BND put(8.4) 1.0
 LO BND put(8.5) 0.0
 UP BND put(8.5) 1.0
 LO BND put(8.6) 0.0
 UP BND put(8.6) 1.0
 LO BND put(8.7) 0.0
 UP BND put(8.7) 1.0
 LO BND put(8.8) 0.0
 UP BND put(8.8) 1.0
 LO BND put(8.9) 0.0
 UP BND put(8.9) 1.0
 LO BND put(8.10) 0.0
 UP BND put(8.10) 1.0
 LO BND put(8.11) 0.0
 UP BND put(8.11) 1.0
 LO BND put(8.12) 0.0
 UP BND put(8.12) 1.0
 LO BND put(8.13) 0.0
 UP BND put(8.13) 1.0
 LO BND put(8.14) 0.0
 UP BND put(8.14) 1.0
 LO BND put(8.15) 0.0
 UP BND put(8.15) 1.0
 LO BND put(8.16) 0.0
 UP BND put(8.16) 1.0
 LO BND put(8.17) 0.0
 UP BND put(8.17) 1.0
 LO BND put(8.18) 0.0
 UP BND put(8.18) 1.0
 LO BND put(8.19) 0.0
 UP BND put(8.19) 1.0
 LO BND put(8.20) 0.0
 UP BND put(8.20) 1.0
 LO BND put(8.21) 0.0
 UP BND put(8.21) 1.0
 LO BND put(8.22) 0.0
 UP BND put(8.22) 1.0
 LO BND put(8.23) 0.0
 UP BND put(8.23) 1.0
 LO BND put(9.0) 0.0
 UP BND put(9.0) 1.0
 LO BND put(9.1) 0.0
 UP BND put(9.1) 1.0
 LO BND put(9.2) 0.0
 UP BND put(9.2) 1.0
 LO BND put(9.3) 0.0
 UP BND put(9.3) 1.0
 LO BND put(9.4) 0.0
 UP BND put(9.4) 1.0
 LO BND put(9.5) 0.0
 UP BND put(9.5) 1.0
 LO BND put(9.6) 0.0
 UP BND put(9.6) 1.0
 LO BND put(9.7) 0.0
 UP BND put(9.7) 1.0
 LO BND put(9.8) 0.0
 UP BND put(9.8) 1.0
 LO BND put(9.9) 0.0
 UP BND put(9.9) 1.0
 LO BND put(9.10) 0.0
 UP BND put(9.10) 1.0
 LO BND put(9.11) 0.0
 UP BND put(9.11) 1.0
 LO BND put(9.12) 0.0
 UP BND put(9.12) 1.0
 LO BND put(9.13) 0.0
 UP BND put(9.13) 1.0
 LO BND put(9.14) 0.0
 UP BND put(9.14) 1.0
 LO BND put(9.15) 0.0
 UP BND put(9.15) 1.0
 LO BND put(9.16) 0.0
 UP BND put(9.16) 1.0
 LO BND put(9.17) 0.0
 UP BND put(9.17) 1.0
 LO BND put(9.18) 0.0
 UP BND put(9.18) 1.0
 LO BND put(9.19) 0.0
 UP BND put(9.19) 1.0
 LO BND put(9.20) 0.0
 UP BND put(9.20) 1.0
 LO BND put(9.21) 0.0
 UP BND put(9.21) 1.0
 LO BND put(9.22) 0.0
 UP BND put(9.22) 1.0
 LO BND put(9.23) 0.0
 UP BND put(9.23) 1.0
 LO BND put(10.0) 0.0
 UP BND put(10.0) 1.0
 LO BND put(10.1) 0.0
 UP BND put(10.1) 1.0
 LO BND put(10.2) 0.0
 UP BND put(10.2) 1.0
 LO BND put(10.3) 0.0
 UP BND put(10.3) 1.0
 LO BND put(10.4) 0.0
 UP BND put(10.4) 1.0
 LO BND put(10.5) 0.0
 UP BND put(10.5) 1.0
 LO BND put(10.6) 0.0
 UP BND put(10.6) 1.0
 LO BND put(10.7) 0.0
 UP BND put(10.7) 1.0
 LO BND put(10.8) 0.0
 UP BND put(10.8) 1.0
 LO BND put(10.9) 0.0
 UP BND put(10.9) 1.0
 LO BND put(10.10) 0.0
 UP BND put(10.10) 1.0
 LO BND put(10.11) 0.0
 UP BND put(10.11) 1.0
 LO BND put(10.12) 0.0
 UP BND put(10.12) 1.0
 LO BND put(10.13) 0.0
 UP BND put(10.13) 1.0
 LO BND put(10.14) 0.0
 UP BND put(10.14) 1.0
 LO BND put(10.15) 0.0
 UP BND put(10.15) 1.0
 LO BND put(10.16) 0.0
 UP BND put(10.16) 1.0
 LO BND put(10.17) 0.0
 UP BND put(10.17) 1.0
 LO BND put(10.18) 0.0
 UP BND put(10.18) 1.0
 LO BND put(10.19) 0.0
 UP BND put(10.19) 1.0
 LO BND put(10.20) 0.0
 UP BND put(10.20) 1.0
 LO BND put(10.21) 0.0
 UP BND put(10.21) 1.0
 LO BND put(10.22) 0.0
 UP BND put(10.22) 1.0
 LO BND put(10.23) 0.0
 UP BND put(10.23) 1.0
 LO BND put(11.0) 0.0
 UP BND put(11.0) 1.0
 LO BND put(11.1) 0.0
 UP BND put(11.1) 1.0
 LO BND put(11.2) 0.0
 UP BND put(11.2) 1.0
 LO BND put(11.3) 0.0
 UP BND put(11.3) 1.0
 LO BND put(11.4) 0.0
 UP BND put(11.4) 1.0
 LO BND put(11.5) 0.0
 UP BND put(11.5) 1.0
 LO BND put(11.6) 0.0
 UP BND put(11.6) 1.0
 LO BND put(11.7) 0.0
 UP BND put(11.7) 1.0
 LO BND put(11.8) 0.0
 UP BND put(11.8) 1.0
 LO BND put(11.9) 0.0
 UP BND put(11.9) 1.0
 LO BND put(11.10) 0.0
 UP BND put(11.10) 1.0
 LO BND put(11.11) 0.0
 UP BND put(11.11) 1.0
 LO BND put(11.12) 0.0
 UP BND put(11.12) 1.0
 LO BND put(11.13) 0.0
 UP BND put(11.13) 1.0
 LO BND put(11.14) 0.0
 UP BND put(11.14) 1.0
 LO BND put(11.15) 0.0
 UP BND put(11.15) 1.0
 LO BND put(11.16) 0.0
 UP BND put(11.16) 1.0
 LO BND put(11.17) 0.0
 UP BND put(11.17) 1.0
 LO BND put(11.18) 0.0
 UP BND put(11.18) 1.0
 LO BND put(11.19) 0.0
 UP BND put(11.19) 1.0
 LO BND put(11.20) 0.0
 UP BND put(11.20) 1.0
 LO BND put(11.21) 0.0
 UP BND put(11.21) 1.0
 LO BND put(11.22) 0.0
 UP BND put(11.22) 1.0
 LO BND put(11.23) 0.0
 UP BND put(11.23) 1.0
 LO BND put(12.0) 0.0
 UP BND put(12.0) 1.0
 LO BND put(12.1) 0.0
 UP BND put(12.1) 1.0
 LO BND put(12.2) 0.0
 UP BND put(12.2) 1.0
 LO BND put(12.3) 0.0
 UP BND put(12.3) 1.0
 LO BND put(12.4) 0.0
 UP BND put(12.4) 1.0
 LO BND put(12.5) 0.0
 UP BND put(12.5) 1.0
 LO BND put(12.6) 0.0
 UP BND put(12.6) 1.0
 LO BND put(12.7) 0.0
 UP BND put(12.7) 1.0
 LO BND put(12.8) 0.0
 UP BND put(12.8) 1.0
 LO BND put(12.9) 0.0
 UP BND put(12.9) 1.0
 LO BND put(12.10) 0.0
 UP BND put(12.10) 1.0
 LO BND put(12.11) 0.0
 UP BND put(12.11) 1.0
 LO BND put(12.12) 0.0
 UP BND put(12.12) 1.0
 LO BND put(12.13) 0.0
 UP BND put(12.13) 1.0
 LO BND put(12.14) 0.0
 UP BND put(12.14) 1.0
 LO BND put(12.15) 0.0
 UP BND put(12.15) 1.0
 LO BND put(12.16) 0.0
 UP BND put(12.16) 1.0
 LO BND put(12.17) 0.0
 UP BND put(12.17) 1.0
 LO BND put(12.18) 0.0
 UP BND put(12.18) 1.0
 LO BND put(12.19) 0.0
 UP BND put(12.19) 1.0
 LO BND put(12.20) 0.0
 UP BND put(12.20) 1.0
 LO BND put(12.21) 0.0
 UP BND put(12.21) 1.0
 LO BND put(12.22) 0.0
 UP BND put(12.22) 1.0
 LO BND put(12.23) 0.0
 UP BND put(12.23) 1.0
 LO BND put(13.0) 0.0
 UP BND put(13.0) 1.0
 LO BND put(13.1) 0.0
 UP BND put(13.1) 1.0
 LO BND put(13.2) 0.0
 UP BND put(13.2) 1.0
 LO BND put(13.3) 0.0
 UP BND put(13.3) 1.0
 LO BND put(13.4) 0.0
 UP BND put(13.4) 1.0
 LO BND put(13.5) 0.0
 UP BND put(13.5) 1.0
 LO BND put(13.6) 0.0
 UP BND put(13.6) 1.0
 LO BND put(13.7) 0.0
 UP BND put(13.7) 1.0
 LO BND put(13.8) 0.0
 UP BND put(13.8) 1.0
 LO BND put(13.9) 0.0
 UP BND put(13.9) 1.0
 LO BND put(13.10) 0.0
 UP BND put(13.10) 1.0
 LO BND put(13.11) 0.0
 UP BND put(13.11) 1.0
 LO BND put(13.12) 0.0
 UP BND put(13.12) 1.0
 LO BND put(13.13) 0.0
 UP BND put(13.13) 1.0
 LO BND put(13.14) 0.0
 UP BND put(13.14) 1.0
 LO BND put(13.15) 0.0
 UP BND put(13.15) 1.0
 LO BND put(13.16) 0.0
 UP BND put(13.16) 1.0
 LO BND put(13.17) 0.0
 UP BND put(13.17) 1.0
 LO BND put(13.18) 0.0
 UP BND put(13.18) 1.0
 LO BND put(13.19) 0.0
 UP BND put(13.19) 1.0
 LO BND put(13.20) 0.0
 UP BND put(13.20) 1.0
 LO BND put(13.21) 0.0
 UP BND put(13.21) 1.0
 LO BND put(13.22) 0.0
 UP BND put(13.22) 1.0
 LO BND put(13.23) 0.0
 UP BND put(13.23) 1.0
 LO BND put(14.0) 0.0
 UP BND put(14.0) 1.0
 LO BND put(14.1) 0.0
 UP BND put(14.1) 1.0
 LO BND put(14.2) 0.0
 UP BND put(14.2) 1.0
 LO BND put(14.3) 0.0
 UP BND put(14.3) 1.0
 LO BND put(14.4) 0.0
 UP BND put(14.4) 1.0
 LO BND put(14.5) 0.0
 UP BND put(14.5) 1.0
 LO BND put(14.6) 0.0
 UP BND put(14.6) 1.0
 LO BND put(14.7) 0.0
 UP BND put(14.7) 1.0
 LO BND put(14.8) 0.0
 UP BND put(14.8) 1.0
 LO BND put(14.9) 0.0
 UP BND put(14.9) 1.0
 LO BND put(14.10) 0.0
 UP BND put(14.10) 1.0
 LO BND put(14.11) 0.0
 UP BND put(14.11) 1.0
 LO BND put(14.12) 0.0
 UP BND put(14.12) 1.0
 LO BND put(14.13) 0.0
 UP BND put(14.13) 1.0
 LO BND put(14.14) 0.0
 UP BND put(14.14) 1.0
 LO BND put(14.15) 0.0
 UP BND put(14.15) 1.0
 LO BND put(14.16) 0.0
 UP BND put(14.16) 1.0
 LO BND put(14.17) 0.0
 UP BND put(14.17) 1.0
 LO BND put(14.18) 0.0
 UP BND put(14.18) 1.0
 LO BND put(14.19) 0.0
 UP BND put(14.19) 1.0
 LO BND put(14.20) 0.0
 UP BND put(14.20) 1.0
 LO BND put(14.21) 0.0
 UP BND put(14.21) 1.0
 LO BND put(14.22) 0.0
 UP BND put(14.22) 1.0
 LO BND put(14.23) 0.0
 UP BND put(14.23) 1.0
 LO BND put(15.0) 0.0
 UP BND put(15.0) 1.0
 LO BND put(15.1) 0.0
 UP BND put(15.1) 1.0
 LO BND put(15.2) 0.0
 UP BND put(15.2) 1.0
 LO BND put(15.3) 0.0
 UP BND put(15.3) 1.0
 LO BND put(15.4) 0.0
 UP BND put(15.4) 1.0
 LO BND put(15.5) 0.0
 UP BND put(15.5) 1.0
 LO BND put(15.6) 0.0
 UP BND put(15.6) 1.0
 LO BND put(15.7) 0.0
 UP BND put(15.7) 1.0
 LO BND put(15.8) 0.0
 UP BND put(15.8) 1.0
 LO BND put(15.9) 0.0
 UP BND put(15.9) 1.0
 LO BND put(15.10) 0.0
 UP BND put(15.10) 1.0
 LO BND put(15.11) 0.0
 UP BND put(15.11) 1.0
 LO BND put(15.12) 0.0
 UP BND put(15.12) 1.0
 LO BND put(15.13) 0.0
 UP BND put(15.13) 1.0
 LO BND put(15.14) 0.0
 UP BND put(15.14) 1.0
 LO BND put(15.15) 0.0
 UP BND put(15.15) 1.0
 LO BND put(15.16) 0.0
 UP BND put(15.16) 1.0
 LO BND put(15.17) 0.0
 UP BND put(15.17) 1.0
 LO BND put(15.18) 0.0
 UP BND put(15.18) 1.0
 LO BND put(15.19) 0.0
 UP BND put(15.19) 1.0
 LO BND put(15.20) 0.0
 UP BND put(15.20) 1.0
 LO BND put(15.21) 0.0
 UP BND put(15.21) 1.0
 LO BND put(15.22) 0.0
 UP BND put(15.22) 1.0
 LO BND put(15.23) 0.0
 UP BND put(15.23) 1.0
 LO BND put(16.0) 0.0
 UP BND put(16.0) 1.0
 LO BND put(16.1) 0.0
 UP BND put(16.1) 1.0
 LO BND put(16.2) 0.0
 UP BND put(16.2) 1.0
 LO BND put(16.3) 0.0
 UP BND put(16.3) 1.0
 LO BND put(16.4) 0.0
 UP BND put(16.4) 1.0
 LO BND put(16.5) 0.0
 UP BND put(16.5) 1.0
 LO BND put(16.6) 0.0
 UP BND put(16.6) 1.0
 LO BND put(16.7) 0.0
 UP BND put(16.7) 1.0
 LO BND put(16.8) 0.0
 UP BND put(16.8) 1.0
 LO BND put(16.9) 0.0
 UP BND put(16.9) 1.0
 LO BND put(16.10) 0.0
 UP BND put(16.10) 1.0
 LO BND put(16.11) 0.0
 UP BND put(16.11) 1.0
 LO BND put(16.12) 0.0
 UP BND put(16.12) 1.0
 LO BND put(16.13) 0.0
 UP BND put(16.13) 1.0
 LO BND put(16.14) 0.0
 UP BND put(16.14) 1.0
 LO BND put(16.15) 0.0
 UP BND put(16.15) 1.0
 LO BND put(16.16) 0.0
 UP BND put(16.16) 1.0
 LO BND put(16.17) 0.0
 UP BND put(16.17) 1.0
 LO BND put(16.18) 0.0
 UP BND put(16.18) 1.0
 LO BND put(16.19) 0.0
 UP BND put(16.19) 1.0
 LO BND put(16.20) 0.0
 UP BND put(16.20) 1.0
 LO BND put(16.21) 0.0
 UP BND put(16.21) 1.0
 LO BND put(16.22) 0.0
 UP BND put(16.22) 1.0
 LO BND put(16.23) 0.0
 UP BND put(16.23) 1.0
 LO BND put(17.0) 0.0
 UP BND put(17.0) 1.0
 LO BND put(17.1) 0.0
 UP BND put(17.1) 1.0
 LO BND put(17.2) 0.0
 UP BND put(17.2) 1.0
 LO BND put(17.3) 0.0
 UP BND put(17.3) 1.0
 LO BND put(17.4) 0.0
 UP BND put(17.4) 1.0
 LO BND put(17.5) 0.0
 UP BND put(17.5) 1.0
 LO BND put(17.6) 0.0
 UP BND put(17.6) 1.0
 LO BND put(17.7) 0.0
 UP BND put(17.7) 1.0
 LO BND put(17.8) 0.0
 UP BND put(17.8) 1.0
 LO BND put(17.9) 0.0
 UP BND put(17.9) 1.0
 LO BND put(17.10) 0.0
 UP BND put(17.10) 1.0
 LO BND put(17.11) 0.0
 UP BND put(17.11) 1.0
 LO BND put(17.12) 0.0
 UP BND put(17.12) 1.0
 LO BND put(17.13) 0.0
 UP BND put(17.13) 1.0
 LO BND put(17.14) 0.0
 UP BND put(17.14) 1.0
 LO BND put(17.15) 0.0
 UP BND put(17.15) 1.0
 LO BND put(17.16) 0.0
 UP BND put(17.16) 1.0
 LO BND put(17.17) 0.0
 UP BND put(17.17) 1.0
 LO BND put(17.18) 0.0
 UP BND put(17.18) 1.0
 LO BND put(17.19) 0.0
 UP BND put(17.19) 1.0
 LO BND put(17.20) 0.0
 UP BND put(17.20) 1.0
 LO BND put(17.21) 0.0
 UP BND put(17.21) 1.0
 LO BND put(17.22) 0.0
 UP BND put(17.22) 1.0
 LO BND put(17.23) 0.0
 UP BND put(17.23) 1.0
 LO BND put(18.0) 0.0
 UP BND put(18.0) 1.0
 LO BND put(18.1) 0.0
 UP BND put(18.1) 1.0
 LO BND put(18.2) 0.0
 UP BND put(18.2) 1.0
 LO BND put(18.3) 0.0
 UP BND put(18.3) 1.0
 LO BND put(18.4) 0.0
 UP BND put(18.4) 1.0
 LO BND put(18.5) 0.0
 UP BND put(18.5) 1.0
 LO BND put(18.6) 0.0
 UP BND put(18.6) 1.0
 LO BND put(18.7) 0.0
 UP BND put(18.7) 1.0
 LO BND put(18.8) 0.0
 UP BND put(18.8) 1.0
 LO BND put(18.9) 0.0
 UP BND put(18.9) 1.0
 LO BND put(18.10) 0.0
 UP BND put(18.10) 1.0
 LO BND put(18.11) 0.0
 UP BND put(18.11) 1.0
 LO BND put(18.12) 0.0
 UP BND put(18.12) 1.0
 LO BND put(18.13) 0.0
 UP BND put(18.13) 1.0
 LO BND put(18.14) 0.0
 UP BND put(18.14) 1.0
 LO BND put(18.15) 0.0
 UP BND put(18.15) 1.0
 LO BND put(18.16) 0.0
 UP BND put(18.16) 1.0
 LO BND put(18.17) 0.0
 UP BND put(18.17) 1.0
 LO BND put(18.18) 0.0
 UP BND put(18.18) 1.0
 LO BND put(18.19) 0.0
 UP BND put(18.19) 1.0
 LO BND put(18.20) 0.0
 UP BND put(18.20) 1.0
 LO BND put(18.21) 0.0
 UP BND put(18.21) 1.0
 LO BND put(18.22) 0.0
 UP BND put(18.22) 1.0
 LO BND put(18.23) 0.0
 UP BND put(18.23) 1.0
 LO BND put(19.0) 0.0
 UP BND put(19.0) 1.0
 LO BND put(19.1) 0.0
 UP BND put(19.1) 1.0
 LO BND put(19.2) 0.0
 UP BND put(19.2) 1.0
 LO BND put(19.3) 0.0
 UP BND put(19.3) 1.0
 LO BND put(19.4) 0.0
 UP BND put(19.4) 1.0
 LO BND put(19.5) 0.0
 UP BND put(19.5) 1.0
 LO BND put(19.6) 0.0
 UP BND put(19.6) 1.0
 LO BND put(19.7) 0.0
 UP BND put(19.7) 1.0
 LO BND put(19.8) 0.0
 UP BND put(19.8) 1.0
 LO BND put(19.9) 0.0
 UP BND put(19.9) 1.0
 LO BND put(19.10) 0.0
 UP BND put(19.10) 1.0
 LO BND put(19.11) 0.0
 UP BND put(19.11) 1.0
 LO BND put(19.12) 0.0
 UP BND put(19.12) 1.0
 LO BND put(19.13) 0.0
 UP BND put(19.13) 1.0
 LO BND put(19.14) 0.0
 UP BND put(19.14) 1.0
 LO BND put(19.15) 0.0
 UP BND put(19.15) 1.0
 LO BND put(19.16) 0.0
 UP BND put(19.16) 1.0
 LO BND put(19.17) 0.0
 UP BND put(19.17) 1.0
 LO BND put(19.18) 0.0
 UP BND put(19.18) 1.0
 LO BND put(19.19) 0.0
 UP BND put(19.19) 1.0
 LO BND put(19.20) 0.0
 UP BND put(19.20) 1.0
 LO BND put(19.21) 0.0
 UP BND put(19.21) 1.0
 LO BND put(19.22) 0.0
 UP BND put(19.22) 1.0
 LO BND put(19.23) 0.0
 UP BND put(19.23) 1.0
 LO BND put(20.0) 0.0
 UP BND put(20.0) 1.0
 LO BND put(20.1) 0.0
 UP BND put(20.1) 1.0
 LO BND put(20.2) 0.0
 UP BND put(20.2) 1.0
 LO BND put(20.3) 0.0
 UP BND put(20.3) 1.0
 LO BND put(20.4) 0.0
 UP BND put(20.4) 1.0
 LO BND put(20.5) 0.0
 UP BND put(20.5) 1.0
 LO BND put(20.6) 0.0
 UP BND put(20.6) 1.0
 LO BND put(20.7) 0.0
 UP BND put(20.7) 1.0
 LO BND put(20.8) 0.0
 UP BND put(20.8) 1.0
 LO BND put(20.9) 0.0
 UP BND put(20.9) 1.0
 LO BND put(20.10) 0.0
 UP BND put(20.10) 1.0
 LO BND put(20.11) 0.0
 UP BND put(20.11) 1.0
 LO BND put(20.12) 0.0
 UP BND put(20.12) 1.0
 LO BND put(20.13) 0.0
 UP BND put(20.13) 1.0
 LO BND put(20.14) 0.0
 UP BND put(20.14) 1.0
 LO BND put(20.15) 0.0
 UP BND put(20.15) 1.0
 LO BND put(20.16) 0.0
 UP BND put(20.16) 1.0
 LO BND put(20.17) 0.0
 UP BND put(20.17) 1.0
 LO BND put(20.18) 0.0
 UP BND put(20.18) 1.0
 LO BND put(20.19) 0.0
 UP BND put(20.19) 1.0
 LO BND put(20.20) 0.0
 UP BND put(20.20) 1.0
 LO BND put(20.21) 0.0
 UP BND put(20.21) 1.0
 LO BND put(20.22) 0.0
 UP BND put(20.22) 1.0
 LO BND put(20.23) 0.0
 UP BND put(20.23) 1.0
 LO BND put(21.0) 0.0
 UP BND put(21.0) 1.0
 LO BND put(21.1) 0.0
 UP BND put(21.1) 1.0
 LO BND put(21.2) 0.0
 UP BND put(21.2) 1.0
 LO BND put(21.3) 0.0
 UP BND put(21.3) 1.0
 LO BND put(21.4) 0.0
 UP BND put(21.4) 1.0
 LO BND put(21.5) 0.0
 UP BND put(21.5) 1.0
 LO BND put(21.6) 0.0
 UP BND put(21.6) 1.0
 LO BND put(21.7) 0.0
 UP BND put(21.7) 1.0
 LO BND put(21.8) 0.0
 UP BND put(21.8) 1.0
 LO BND put(21.9) 0.0
 UP BND put(21.9) 1.0
 LO BND put(21.10) 0.0
 UP BND put(21.10) 1.0
 LO BND put(21.11) 0.0
 UP BND put(21.11) 1.0
 LO BND put(21.12) 0.0
 UP BND put(21.12) 1.0
 LO BND put(21.13) 0.0
 UP BND put(21.13) 1.0
 LO BND put(21.14) 0.0
 UP BND put(21.14) 1.0
 LO BND put(21.15) 0.0
 UP BND put(21.15) 1.0
 LO BND put(21.16) 0.0
 UP BND put(21.16) 1.0
 LO BND put(21.17) 0.0
 UP BND put(21.17) 1.0
 LO BND put(21.18) 0.0
 UP BND put(21.18) 1.0
 LO BND put(21.19) 0.0
 UP BND put(21.19) 1.0
 LO BND put(21.20) 0.0
 UP BND put(21.20) 1.0
 LO BND put(21.21) 0.0
 UP BND put(21.21) 1.0
 LO BND put(21.22) 0.0
 UP BND put(21.22) 1.0
 LO BND put(21.23) 0.0
 UP BND put(21.23) 1.0
 LO BND put(22.0) 0.0
 UP BND put(22.0) 1.0
 LO BND put(22.1) 0.0
 UP BND put(22.1) 1.0
 LO BND put(22.2) 0.0
 UP BND put(22.2) 1.0
 LO BND put(22.3) 0.0
 UP BND put(22.3) 1.0
 LO BND put(22.4) 0.0
 UP BND put(22.4) 1.0
 LO BND put(22.5) 0.0
 UP BND put(22.5) 1.0
 LO BND put(22.6) 0.0
 UP BND put(22.6) 1.0
 LO BND put(22.7) 0.0
 UP BND put(22.7) 1.0
 LO BND put(22.8) 0.0
 UP BND put(22.8) 1.0
 LO BND put(22.9) 0.0
 UP BND put(22.9) 1.0
 LO BND put(22.10) 0.0
 UP BND put(22.10) 1.0
 LO BND put(22.11) 0.0
 UP BND put(22.11) 1.0
 LO BND put(22.12) 0.0
 UP BND put(22.12) 1.0
 LO BND put(22.13) 0.0
 UP BND put(22.13) 1.0
 LO BND put(22.14) 0.0
 UP BND put(22.14) 1.0
 LO BND put(22.15) 0.0
 UP BND put(22.15) 1.0
 LO BND put(22.16) 0.0
 UP BND put(22.16) 1.0
 LO BND put(22.17) 0.0
 UP BND put(22.17) 1.0
 LO BND put(22.18) 0.0
 UP BND put(22.18) 1.0
 LO BND put(22.19) 0.0
 UP BND put(22.19) 1.0
 LO BND put(22.20) 0.0
 UP BND put(22.20) 1.0
 LO BND put(22.21) 0.0
 UP BND put(22.21) 1.0
 LO BND put(22.22) 0.0
 UP BND put(22.22) 1.0
 LO BND put(22.23) 0.0
 UP BND put(22.23) 1.0
 LO BND put(23.0) 0.0
 UP BND put(23.0) 1.0
 LO BND put(23.1) 0.0
 UP BND put(23.1) 1.0
 LO BND put(23.2) 0.0
 UP BND put(23.2) 1.0
 LO BND put(23.3) 0.0
 UP BND put(23.3) 1.0
 LO BND put(23.4) 0.0
 UP BND put(23.4) 1.0
 LO BND put(23.5) 0.0
 UP BND put(23.5) 1.0
 LO BND put(23.6) 0.0
 UP BND put(23.6) 1.0
 LO BND put(23.7) 0.0
 UP BND put(23.7) 1.0
 LO BND put(23.8) 0.0
 UP BND put(23.8) 1.0
 LO BND put(23.9) 0.0
 UP BND put(23.9) 1.0
 LO BND put(23.10) 0.0
 UP BND put(23.10) 1.0
 LO BND put(23.11) 0.0
 UP BND put(23.11) 1.0
 LO BND put(23.12) 0.0
 UP BND put(23.12) 1.0
 LO BND put(23.13) 0.0
 UP BND put(23.13) 1.0
 LO BND put(23.14) 0.0
 UP BND put(23.14) 1.0
 LO BND put(23.15) 0.0
 UP BND put(23.15) 1.0
 LO BND put(23.16) 0.0
 UP BND put(23.16) 1.0
 LO BND put(23.17) 0.0
 UP BND put(23.17) 1.0
 LO BND put(23.18) 0.0
 UP BND put(23.18) 1.0
 LO BND put(23.19) 0.0
 UP BND put(23.19) 1.0
 LO BND put(23.20) 0.0
 UP BND put(23.20) 1.0
 LO BND put(23.21) 0.0
 UP BND put(23.21) 1.0
 LO BND put(23.22) 0.0
 UP BND put(23.22) 1.0
 LO BND put(23.23) 0.0
 UP BND put(23.23) 1.0
 LO BND put(24.0) 0.0
 UP BND put(24.0) 1.0
 LO BND put(24.1) 0.0
 UP BND put(24.1) 1.0
 LO BND put(24.2) 0.0
 UP BND put(24.2) 1.0
 LO BND put(24.3) 0.0
 UP BND put(24.3) 1.0
 LO BND put(24.4) 0.0
 UP BND put(24.4) 1.0
 LO BND put(24.5) 0.0
 UP BND put(24.5) 1.0
 LO BND put(24.6) 0.0
 UP BND put(24.6) 1.0
 LO BND put(24.7) 0.0
 UP BND put(24.7) 1.0
 LO BND put(24.8) 0.0
 UP BND put(24.8) 1.0
 LO BND put(24.9) 0.0
 UP BND put(24.9) 1.0
 LO BND put(24.10) 0.0
 UP BND put(24.10) 1.0
 LO BND put(24.11) 0.0
 UP BND put(24.11) 1.0
 LO BND put(24.12) 0.0
 UP BND put(24.12) 1.0
 LO BND put(24.13) 0.0
 UP BND put(24.13) 1.0
 LO BND put(24.14) 0.0
 UP BND put(24.14) 1.0
 LO BND put(24.15) 0.0
 UP BND put(24.15) 1.0
 LO BND put(24.16) 0.0
 UP BND put(24.16) 1.0
 LO BND put(24.17) 0.0
 UP BND put(24.17) 1.0
 LO BND put(24.18) 0.0
 UP BND put(24.18) 1.0
 LO BND put(24.19) 0.0
 UP BND put(24.19) 1.0
 LO BND put(24.20) 0.0
 UP BND put(24.20) 1.0
 LO BND put(24.21) 0.0
 UP BND put(24.21) 1.0
 LO BND put(24.22) 0.0
 UP BND put(24.22) 1.0
 LO BND put(24.23) 0.0
 UP BND put(24.23) 1.0
 LO BND put(25.0) 0.0
 UP BND put(25.0) 1.0
 LO BND put(25.1) 0.0
 UP BND put(25.1) 1.0
 LO BND put(25.2) 0.0
 UP BND put(25.2) 1.0
 LO BND put(25.3) 0.0
 UP BND put(25.3) 1.0
 LO BND put(25.4) 0.0
 UP BND put(25.4) 1.0
 LO BND put(25.5) 0.0
 UP BND put(25.5) 1.0
 LO BND put(25.6) 0.0
 UP BND put(25.6) 1.0
 LO BND put(25.7) 0.0
 UP BND put(25.7) 1.0
 LO BND put(25.8) 0.0
 UP BND put(25.8) 1.0
 LO BND put(25.9) 0.0
 UP BND put(25.9) 1.0
 LO BND put(25.10) 0.0
 UP BND put(25.10) 1.0
 LO BND put(25.11) 0.0
 UP BND put(25.11) 1.0
 LO BND put(25.12) 0.0
 UP BND put(25.12) 1.0
 LO BND put(25.13) 0.0
 UP BND put(25.13) 1.0
 LO BND put(25.14) 0.0
 UP BND put(25.14) 1.0
 LO BND put(25.15) 0.0
 UP BND put(25.15) 1.0
 LO BND put(25.16) 0.0
 UP BND put(25.16) 1.0
 LO BND put(25.17) 0.0
 UP BND put(25.17) 1.0
 LO BND put(25.18) 0.0
 UP BND put(25.18) 1.0
 LO BND put(25.19) 0.0
 UP BND put(25.19) 1.0
 LO BND put(25.20) 0.0
 UP BND put(25.20) 1.0
 LO BND put(25.21) 0.0
 UP BND put(25.21) 1.0
 LO BND put(25.22) 0.0
 UP BND put(25.22) 1.0
 LO BND put(25.23) 0.0
 UP BND put(25.23) 1.0
 LO BND put(26.0) 0.0
 UP BND put(26.0) 1.0
 LO BND put(26.1) 0.0
 UP BND put(26.1) 1.0
 LO BND put(26.2) 0.0
 UP BND put(26.2) 1.0
 LO BND put(26.3) 0.0
 UP BND put(26.3) 1.0
 LO BND put(26.4) 0.0
 UP BND put(26.4) 1.0
 LO BND put(26.5) 0.0
 UP BND put(26.5) 1.0
 LO BND put(26.6) 0.0
 UP BND put(26.6) 1.0
 LO BND put(26.7) 0.0
 UP BND put(26.7) 1.0
 LO BND put(26.8) 0.0
 UP BND put(26.8) 1.0
 LO BND put(26.9) 0.0
 UP BND put(26.9) 1.0
 LO BND put(26.10) 0.0
 UP BND put(26.10) 1.0
 LO BND put(26.11) 0.0
 UP BND put(26.11) 1.0
 LO BND put(26.12) 0.0
 UP BND put(26.12) 1.0
 LO BND put(26.13) 0.0
 UP BND put(26.13) 1.0
 LO BND put(26.14) 0.0
 UP BND put(26.14) 1.0
 LO BND put(26.15) 0.0
 UP BND put(26.15) 1.0
 LO BND put(26.16) 0.0
 UP BND put(26.16) 1.0
 LO BND put(26.17) 0.0
 UP BND put(26.17) 1.0
 LO BND put(26.18) 0.0
 UP BND put(26.18) 1.0
 LO BND put(26.19) 0.0
 UP BND put(26.19) 1.0
 LO BND put(26.20) 0.0
 UP BND put(26.20) 1.0
 LO BND put(26.21) 0.0
 UP BND put(26.21) 1.0
 LO BND put(26.22) 0.0
 UP BND put(26.22) 1.0
 LO BND put(26.23) 0.0
 UP BND put(26.23) 1.0
 LO BND put(27.0) 0.0
 UP BND put(27.0) 1.0
 LO BND put(27.1) 0.0
 UP BND put(27.1) 1.0
 LO BND put(27.2) 0.0
 UP BND put(27.2) 1.0
 LO BND put(27.3) 0.0
 UP BND put(27.3) 1.0
 LO BND put(27.4) 0.0
 UP BND put(27.4) 1.0
 LO BND put(27.5) 0.0
 UP BND put(27.5) 1.0
 LO BND put(27.6) 0.0
 UP BND put(27.6) 1.0
 LO BND put(27.7) 0.0
 UP BND put(27.7) 1.0
 LO BND put(27.8) 0.0
 UP BND put(27.8) 1.0
 LO BND put(27.9) 0.0
 UP BND put(27.9) 1.0
 LO BND put(27.10) 0.0
 UP BND put(27.10) 1.0
 LO BND put(27.11) 0.0
 UP BND put(27.11) 1.0
 LO BND put(27.12) 0.0
 UP BND put(27.12) 1.0
 LO BND put(27.13) 0.0
 UP BND put(27.13) 1.0
 LO BND put(27.14) 0.0
 UP BND put(27.14) 1.0
 LO BND put(27.15) 0.0
 UP BND put(27.15) 1.0
 LO BND put(27.16) 0.0
 UP BND put(27.16) 1.0
 LO BND put(27.17) 0.0
 UP BND put(27.17) 1.0
 LO BND put(27.18) 0.0
 UP BND put(27.18) 1.0
 LO BND put(27.19) 0.0
 UP BND put(27.19) 1.0
 LO BND put(27.20) 0.0
 UP BND put(27.20) 1.0
 LO BND put(27.21) 0.0
 UP BND put(27.21) 1.0
 LO BND put(27.22) 0.0
 UP BND put(27.22) 1.0
 LO BND put(27.23) 0.0
 UP BND put(27.23) 1.0
 LO BND put(28.0) 0.0
 UP BND put(28.0) 1.0
 LO BND put(28.1) 0.0
 UP BND put(28.1) 1.0
 LO BND put(28.2) 0.0
 UP BND put(28.2) 1.0
 LO BND put(28.3) 0.0
 UP BND put(28.3) 1.0
 LO BND put(28.4) 0.0
 UP BND put(28.4) 1.0
 LO BND put(28.5) 0.0
 UP BND put(28.5) 1.0
 LO BND put(28.6) 0.0
 UP BND put(28.6) 1.0
 LO BND put(28.7) 0.0
 UP BND put(28.7) 1.0
 LO BND put(28.8) 0.0
 UP BND put(28.8) 1.0
 LO BND put(28.9) 0.0
 UP BND put(28.9) 1.0
 LO BND put(28.10) 0.0
 UP BND put(28.10) 1.0
 LO BND put(28.11) 0.0
 UP BND put(28.11) 1.0
 LO BND put(28.12) 0.0
 UP BND put(28.12) 1.0
 LO BND put(28.13) 0.0
 UP BND put(28.13) 1.0
 LO BND put(28.14) 0.0
 UP BND put(28.14) 1.0
 LO BND put(28.15) 0.0
 UP BND put(28.15) 1.0
 LO BND put(28.16) 0.0
 UP BND put(28.16) 1.0
 LO BND put(28.17) 0.0
 UP BND put(28.17) 1.0
 LO BND put(28.18) 0.0
 UP BND put(28.18) 1.0
 LO BND put(28.19) 0.0
 UP BND put(28.19) 1.0
 LO BND put(28.20) 0.0
 UP BND put(28.20) 1.0
 LO BND put(28.21) 0.0
 UP BND put(28.21) 1.0
 LO BND put(28.22) 0.0
 UP BND put(28.22) 1.0
 LO BND put(28.23) 0.0
 UP BND put(28.23) 1.0
 LO BND put(29.0) 0.0
 UP BND put(29.0) 1.0
 LO BND put(29.1) 0.0
 UP BND put(29.1) 1.0
 LO BND put(29.2) 0.0
 UP BND put(29.2) 1.0
 LO BND put(29.3) 0.0
 UP BND put(29.3) 1.0
 LO BND put(29.4) 0.0
 UP BND put(29.4) 1.0
 LO BND put(29.5) 0.0
 UP BND put(29.5) 1.0
 LO BND put(29.6) 0.0
 UP BND put(29.6) 1.0
 LO BND put(29.7) 0.0
 UP BND put(29.7) 1.0
 LO BND put(29.8) 0.0
 UP BND put(29.8) 1.0
 LO BND put(29.9) 0.0
 UP BND put(29.9) 1.0
 LO BND put(29.10) 0.0
 UP BND put(29.10) 1.0
 LO BND put(29.11) 0.0
 UP BND put(29.11) 1.0
 LO BND put(29.12) 0.0
 UP BND put(29.12) 1.0
 LO BND put(29.13) 0.0
 UP BND put(29.13) 1.0
 LO BND put(29.14) 0.0
 UP BND put(29.14) 1.0
 LO BND put(29.15) 0.0
 UP BND put(29.15) 1.0
 LO BND put(29.16) 0.0
 UP BND put(29.16) 1.0
 LO BND put(29.17) 0.0
 UP BND put(29.17) 1.0
 LO BND put(29.18) 0.0
 UP BND put(29.18) 1.0
 LO BND put(29.19) 0.0
 UP BND put(29.19) 1.0
 LO BND put(29.20) 0.0
 UP BND put(29.20) 1.0
 LO BND put(29.21) 0.0
 UP BND put(29.21) 1.0
 LO BND put(29.22) 0.0
 UP BND put(29.22) 1.0
 LO BND put(29.23) 0.0
 UP BND put(29.23) 1.0
 LO BND put(30.0) 0.0
 UP BND put(30.0) 1.0
 LO BND put(30.1) 0.0
 UP BND put(30.1) 1.0
 LO BND put(30.2) 0.0
 UP BND put(30.2) 1.0
 LO BND put(30.3) 0.0
 UP BND put(30.3) 1.0
 LO BND put(30.4) 0.0
 UP BND put(30.4) 1.0
 LO BND put(30.5) 0.0
 UP BND put(30.5) 1.0
 LO BND put(30.6) 0.0
 UP BND put(30.6) 1.0
 LO BND put(30.7) 0.0
 UP BND put(30.7) 1.0
 LO BND put(30.8) 0.0
 UP BND put(30.8) 1.0
 LO BND put(30.9) 0.0
 UP BND put(30.9) 1.0
 LO BND put(30.10) 0.0
 UP BND put(30.10) 1.0
 LO BND put(30.11) 0.0
 UP BND put(30.11) 1.0
 LO BND put(30.12) 0.0
 UP BND put(30.12) 1.0
 LO BND put(30.13) 0.0
 UP BND put(30.13) 1.0
 LO BND put(30.14) 0.0
 UP BND put(30.14) 1.0
 LO BND put(30.15) 0.0
 UP BND put(30.15) 1.0
 LO BND put(30.16) 0.0
 UP BND put(30.16) 1.0
 LO BND put(30.17) 0.0
 UP BND put(30.17) 1.0
 LO BND put(30.18) 0.0
 UP BND put(30.18) 1.0
 LO BND put(30.19) 0.0
 UP BND put(30.19) 1.0
 LO BND put(30.20) 0.0
 UP BND put(30.20) 1.0
 LO BND put(30.21) 0.0
 UP BND put(30.21) 1.0
 LO BND put(30.22) 0.0
 UP BND put(30.22) 1.0
 LO BND put(30.23) 0.0
 UP BND put(30.23) 1.0
 LO BND put(31.0) 0.0
 UP BND put(31.0) 1.0
 LO BND put(31.1) 0.0
 UP BND put(31.1) 1.0
 LO BND put(31.2) 0.0
 UP BND put(31.2) 1.0
 LO BND put(31.3) 0.0
 UP BND put(31.3) 1.0
 LO BND put(31.4) 0.0
 UP BND put(31.4) 1.0
 LO BND put(31.5) 0.0
 UP BND put(31.5) 1.0
 LO BND put(31.6) 0.0
 UP BND put(31.6) 1.0
 LO BND put(31.7) 0.0
 UP BND put(31.7) 1.0
 LO BND put(31.8) 0.0
 UP BND put(31.8) 1.0
 LO BND put(31.9) 0.0
 UP BND put(31.9) 1.0
 LO BND put(31.10) 0.0
 UP BND put(31.10) 1.0
 LO BND put(31.11) 0.0
 UP BND put(31.11) 1.0
 LO BND put(31.12) 0.0
 UP BND put(31.12) 1.0
 LO BND put(31.13) 0.0
 UP BND put(31.13) 1.0
 LO BND put(31.14) 0.0
 UP BND put(31.14) 1.0
 LO BND put(31.15) 0.0
 UP BND put(31.15) 1.0
 LO BND put(31.16) 0.0
 UP BND put(31.16) 1.0
 LO BND put(31.17) 0.0
 UP BND put(31.17) 1.0
 LO BND put(31.18) 0.0
 UP BND put(31.18) 1.0
 LO BND put(31.19) 0.0
 UP BND put(31.19) 1.0
 LO BND put(31.20) 0.0
 UP BND put(31.20) 1.0
 LO BND put(31.21) 0.0
 UP BND put(31.21) 1.0
 LO BND put(31.22) 0.0
 UP BND put(31.22) 1.0
 LO BND put(31.23) 0.0
 UP BND put(31.23) 1.0
 LO BND put(32.0) 0.0
 UP BND put(32.0) 1.0
 LO BND put(32.1) 0.0
 UP BND put(32.1) 1.0
 LO BND put(32.2) 0.0
 UP BND put(32.2) 1.0
 LO BND put(32.3) 0.0
 UP BND put(32.3) 1.0
 LO BND put(32.4) 0.0
 UP BND put(32.4) 1.0
 LO BND put(32.5) 0.0
 UP BND put(32.5) 1.0
 LO BND put(32.6) 0.0
 UP BND put(32.6) 1.0
 LO BND put(32.7) 0.0
 UP BND put(32.7) 1.0
 LO BND put(32.8) 0.0
 UP BND put(32.8) 1.0
 LO BND put(32.9) 0.0
 UP BND put(32.9) 1.0
 LO BND put(32.10) 0.0
 UP BND put(32.10) 1.0
 LO BND put(32.11) 0.0
 UP BND put(32.11) 1.0
 LO BND put(32.12) 0.0
 UP BND put(32.12) 1.0
 LO BND put(32.13) 0.0
 UP BND put(32.13) 1.0
 LO BND put(32.14) 0.0
 UP BND put(32.14) 1.0
 LO BND put(32.15) 0.0
 UP BND put(32.15) 1.0
 LO BND put(32.16) 0.0
 UP BND put(32.16) 1.0
 LO BND put(32.17) 0.0
 UP BND put(32.17) 1.0
 LO BND put(32.18) 0.0
 UP BND put(32.18) 1.0
 LO BND put(32.19) 0.0
 UP BND put(32.19) 1.0
 LO BND put(32.20) 0.0
 UP BND put(32.20) 1.0
 LO BND put(32.21) 0.0
 UP BND put(32.21) 1.0
 LO BND put(32.22) 0.0
 UP BND put(32.22) 1.0
 LO BND put(32.23) 0.0
 UP BND put(32.23) 1.0
 LO BND put(33.0) 0.0
 UP BND put(33.0) 1.0
 LO BND put(33.1) 0.0
 UP BND put(33.1) 1.0
 LO BND put(33.2) 0.0
 UP BND put(33.2) 1.0
 LO BND put(33.3) 0.0
 UP BND put(33.3) 1.0
 LO BND put(33.4) 0.0
 UP BND put(33.4) 1.0
 LO BND put(33.5) 0.0
 UP BND put(33.5) 1.0
 LO BND put(33.6) 0.0
 UP BND put(33.6) 1.0
 LO BND put(33.7) 0.0
 UP BND put(33.7) 1.0
 LO BND put(33.8) 0.0
 UP BND put(33.8) 1.0
 LO BND put(33.9) 0.0
 UP BND put(33.9) 1.0
 LO BND put(33.10) 0.0
 UP BND put(33.10) 1.0
 LO BND put(33.11) 0.0
 UP BND put(33.11) 1.0
 LO BND put(33.12) 0.0
 UP BND put(33.12) 1.0
 LO BND put(33.13) 0.0
 UP BND put(33.13) 1.0
 LO BND put(33.14) 0.0
 UP BND put(33.14) 1.0
 LO BND put(33.15) 0.0
 UP BND put(33.15) 1.0
 LO BND put(33.16) 0.0
 UP BND put(33.16) 1.0
 LO BND put(33.17) 0.0
 UP BND put(33.17) 1.0
 LO BND put(33.18) 0.0
 UP BND put(33.18) 1.0
 LO BND put(33.19) 0.0
 UP BND put(33.19) 1.0
 LO BND put(33.20) 0.0
 UP BND put(33.20) 1.0
 LO BND put(33.21) 0.0
 UP BND put(33.21) 1.0
 LO BND put(33.22) 0.0
 UP BND put(33.22) 1.0
 LO BND put(33.23) 0.0
 UP BND put(33.23) 1.0
 LO BND put(34.0) 0.0
 UP BND put(34.0) 1.0
 LO BND put(34.1) 0.0
 UP BND put(34.1) 1.0
 LO BND put(34.2) 0.0
 UP BND put(34.2) 1.0
 LO BND put(34.3) 0.0
 UP BND put(34.3) 1.0
 LO BND put(34.4) 0.0
 UP BND put(34.4) 1.0
 LO BND put(34.5) 0.0
 UP BND put(34.5) 1.0
 LO BND put(34.6) 0.0
 UP BND put(34.6) 1.0
 LO BND put(34.7) 0.0
 UP BND put(34.7) 1.0
 LO BND put(34.8) 0.0
 UP BND put(34.8) 1.0
 LO BND put(34.9) 0.0
 UP BND put(34.9) 1.0
 LO BND put(34.10) 0.0
 UP BND put(34.10) 1.0
 LO BND put(34.11) 0.0
 UP BND put(34.11) 1.0
 LO BND put(34.12) 0.0
 UP BND put(34.12) 1.0
 LO BND put(34.13) 0.0
 UP BND put(34.13) 1.0
 LO BND put(34.14) 0.0
 UP BND put(34.14) 1.0
 LO BND put(34.15) 0.0
 UP BND put(34.15) 1.0
 LO BND put(34.16) 0.0
 UP BND put(34.16) 1.0
 LO BND put(34.17) 0.0
 UP BND put(34.17) 1.0
 LO BND put(34.18) 0.0
 UP BND put(34.18) 1.0
 LO BND put(34.19) 0.0
 UP BND put(34.19) 1.0
 LO BND put(34.20) 0.0
 UP BND put(34.20) 1.0
 LO BND put(34.21) 0.0
 UP BND put(34.21) 1.0
 LO BND put(34.22) 0.0
 UP BND put(34.22) 1.0
 LO BND put(34.23) 0.0
 UP BND put(34.23) 1.0
 LO BND put(35.0) 0.0
 UP BND put(35.0) 1.0
 LO BND put(35.1) 0.0
 UP BND put(35.1) 1.0
 LO BND put(35.2) 0.0
 UP BND put(35.2) 1.0
 LO BND put(35.3) 0.0
 UP BND put(35.3) 1.0
 LO BND put(35.4) 0.0
 UP BND put(35.4) 1.0
 LO BND put(35.5) 0.0
 UP BND put(35.5) 1.0
 LO BND put(35.6) 0.0
 UP BND put(35.6) 1.0
 LO BND put(35.7) 0.0
 UP BND put(35.7) 1.0
 LO BND put(35.8) 0.0
 UP BND put(35.8) 1.0
 LO BND put(35.9) 0.0
 UP BND put(35.9) 1.0
 LO BND put(35.10) 0.0
 UP BND put(35.10) 1.0
 LO BND put(35.11) 0.0
 UP BND put(35.11) 1.0
 LO BND put(35.12) 0.0
 UP BND put(35.12) 1.0
 LO BND put(35.13) 0.0
 UP BND put(35.13) 1.0
 LO BND put(35.14) 0.0
 UP BND put(35.14) 1.0
 LO BND put(35.15) 0.0
 UP BND put(35.15) 1.0
 LO BND put(35.16) 0.0
 UP BND put(35.16) 1.0
 LO BND put(35.17) 0.0
 UP BND put(35.17) 1.0
 LO BND put(35.18) 0.0
 UP BND put(35.18) 1.0
 LO BND put(35.19) 0.0
 UP BND put(35.19) 1.0
 LO BND put(35.20) 0.0
 UP BND put(35.20) 1.0
 LO BND put(35.21) 0.0
 UP BND put(35.21) 1.0
 LO BND put(35.22) 0.0
 UP BND put(35.22) 1.0
 LO BND put(35.23) 0.0
 UP BND put(35.23) 1.0
 LO BND put(36.0) 0.0
 UP BND put(36.0) 1.0
 LO BND put(36.1) 0.0
 UP BND put(36.1) 1.0
 LO BND put(36.2) 0.0
 UP BND put(36.2) 1.0
 LO BND put(36.3) 0.0
 UP BND put(36.3) 1.0
 LO BND put(36.4) 0.0
 UP BND put(36.4) 1.0
 LO BND put(36.5) 0.0
 UP BND put(36.5) 1.0
 LO BND put(36.6) 0.0
 UP BND put(36.6) 1.0
 LO BND put(36.7) 0.0
 UP BND put(36.7) 1.0
 LO BND put(36.8) 0.0
 UP BND put(36.8) 1.0
 LO BND put(36.9) 0.0
 UP BND put(36.9) 1.0
 LO BND put(36.10) 0.0
 UP BND put(36.10) 1.0
 LO BND put(36.11) 0.0
 UP BND put(36.11) 1.0
 LO BND put(36.12) 0.0
 UP BND put(36.12) 1.0
 LO BND put(36.13) 0.0
 UP BND put(36.13) 1.0
 LO BND put(36.14) 0.0
 UP BND put(36.14) 1.0
 LO BND put(36.15) 0.0
 UP BND put(36.15) 1.0
 LO BND put(36.16) 0.0
 UP BND put(36.16) 1.0
 LO BND put(36.17) 0.0
 UP BND put(36.17) 1.0
 LO BND put(36.18) 0.0
 UP BND put(36.18) 1.0
 LO BND put(36.19) 0.0
 UP BND put(36.19) 1.0
 LO BND put(36.20) 0.0
 UP BND put(36.20) 1.0
 LO BND put(36.21) 0.0
 UP BND put(36.21) 1.0
 LO BND put(36.22) 0.0
 UP BND put(36.22) 1.0
 LO BND put(36.23) 0.0
 UP BND put(36.23) 1.0
 LO BND put(37.0) 0.0
 UP BND put(37.0) 1.0
 LO BND put(37.1) 0.0
 UP BND put(37.1) 1.0
 LO BND put(37.2) 0.0
 UP BND put(37.2) 1.0
 LO BND put(37.3) 0.0
 UP BND put(37.3) 1.0
 LO BND put(37.4) 0.0
 UP BND put(37.4) 1.0
 LO BND put(37.5) 0.0
 UP BND put(37.5) 1.0
 LO BND put(37.6) 0.0
 UP BND put(37.6) 1.0
 LO BND put(37.7) 0.0
 UP BND put(37.7) 1.0
 LO BND put(37.8) 0.0
 UP BND put(37.8) 1.0
 LO BND put(37.9) 0.0
 UP BND put(37.9) 1.0
 LO BND put(37.10) 0.0
 UP BND put(37.10) 1.0
 LO BND put(37.11) 0.0
 UP BND put(37.11) 1.0
 LO BND put(37.12) 0.0
 UP BND put(37.12) 1.0
 LO BND put(37.13) 0.0
 UP BND put(37.13) 1.0
 LO BND put(37.14) 0.0
 UP BND put(37.14) 1.0
 LO BND put(37.15) 0.0
 UP BND put(37.15) 1.0
 LO BND put(37.16) 0.0
 UP BND put(37.16) 1.0
 LO BND put(37.17) 0.0
 UP BND put(37.17) 1.0
 LO BND put(37.18) 0.0
 UP BND put(37.18) 1.0
 LO BND put(37.19) 0.0
 UP BND put(37.19) 1.0
 LO BND put(37.20) 0.0
 UP BND put(37.20) 1.0
 LO BND put(37.21) 0.0
 UP BND put(37.21) 1.0
 LO BND put(37.22) 0.0
 UP BND put(37.22) 1.0
 LO BND put(37.23) 0.0
 UP BND put(37.23) 1.0
 LO BND put(38.0) 0.0
 UP BND put(38.0) 1.0
 LO BND put(38.1) 0.0
 UP BND put(38.1) 1.0
 LO BND put(38.2) 0.0
 UP BND put(38.2) 1.0
 LO BND put(38.3) 0.0
 UP BND put(38.3) 1.0
 LO BND put(38.4) 0.0
 UP BND put(38.4) 1.0
 LO BND put(38.5) 0.0
 UP BND put(38.5) 1.0
 LO BND put(38.6) 0.0
 UP BND put(38.6) 1.0
 LO BND put(38.7) 0.0
 UP BND put(38.7) 1.0
 LO BND put(38.8) 0.0
 UP BND put(38.8) 1.0
 LO BND put(38.9) 0.0
 UP BND put(38.9) 1.0
 LO BND put(38.10) 0.0
 UP BND put(38.10) 1.0
 LO BND put(38.11) 0.0
 UP BND put(38.11) 1.0
 LO BND put(38.12) 0.0
 UP BND put(38.12) 1.0
 LO BND put(38.13) 0.0
 UP BND put(38.13) 1.0
 LO BND put(38.14) 0.0
 UP BND put(38.14) 1.0
 LO BND put(38.15) 0.0
 UP BND put(38.15) 1.0
 LO BND put(38.16) 0.0
 UP BND put(38.16) 1.0
 LO BND put(38.17) 0.0
 UP BND put(38.17) 1.0
 LO BND put(38.18) 0.0
 UP BND put(38.18) 1.0
 LO BND put(38.19) 0.0
 UP BND put(38.19) 1.0
 LO BND put(38.20) 0.0
 UP BND put(38.20) 1.0
 LO BND put(38.21) 0.0
 UP BND put(38.21) 1.0
 LO BND put(38.22) 0.0
 UP BND put(38.22) 1.0
 LO BND put(38.23) 0.0
 UP BND put(38.23) 1.0
 LO BND put(39.0) 0.0
 UP BND put(39.0) 1.0
 LO BND put(39.1) 0.0
 UP BND put(39.1) 1.0
 LO BND put(39.2) 0.0
 UP BND put(39.2) 1.0
 LO BND put(39.3) 0.0
 UP BND put(39.3) 1.0
 LO BND put(39.4) 0.0
 UP BND put(39.4) 1.0
 LO BND put(39.5) 0.0
 UP BND put(39.5) 1.0
 LO BND put(39.6) 0.0
 UP BND put(39.6) 1.0
 LO BND put(39.7) 0.0
 UP BND put(39.7) 1.0
 LO BND put(39.8) 0.0
 UP BND put(39.8) 1.0
 LO BND put(39.9) 0.0
 UP BND put(39.9) 1.0
 LO BND put(39.10) 0.0
 UP BND put(39.10) 1.0
 LO BND put(39.11) 0.0
 UP BND put(39.11) 1.0
 LO BND put(39.12) 0.0
 UP BND put(39.12) 1.0
 LO BND put(39.13) 0.0
 UP BND put(39.13) 1.0
 LO BND put(39.14) 0.0
 UP BND put(39.14) 1.0
 LO BND put(39.15) 0.0
 UP BND put(39.15) 1.0
 LO BND put(39.16) 0.0
 UP BND put(39.16) 1.0
 LO BND put(39.17) 0.0
 UP BND put(39.17) 1.0
 LO BND put(39.18) 0.0
 UP BND put(39.18) 1.0
 LO BND put(39.19) 0.0
 UP BND put(39.19) 1.0
 LO BND put(39.20) 0.0
 UP BND put(39.20) 1.0
 LO BND put(39.21) 0.0
 UP BND put(39.21) 1.0
 LO BND put(39.22) 0.0
 UP BND put(39.22) 1.0
 LO BND put(39.23) 0.0
 UP BND put(39.23) 1.0
 LO BND put(40.0) 0.0
 UP BND put(40.0) 1.0
 LO BND put(40.1) 0.0
 UP BND put(40.1) 1.0
 LO BND put(40.2) 0.0
 UP BND put(40.2) 1.0
 LO BND put(40.3) 0.0
 UP BND put(40.3) 1.0
 LO BND put(40.4) 0.0
 UP BND put(40.4) 1.0
 LO BND put(40.5) 0.0
 UP BND put(40.5) 1.0
 LO BND put(40.6) 0.0
 UP BND put(40.6) 1.0
 LO BND put(40.7) 0.0
 UP BND put(40.7) 1.0
 LO BND put(40.8) 0.0
 UP BND put(40.8) 1.0
 LO BND put(40.9) 0.0
 UP BND put(40.9) 1.0
 LO BND put(40.10) 0.0
 UP BND put(40.10) 1.0
 LO BND put(40.11) 0.0
 UP BND put(40.11) 1.0
 LO BND put(40.12) 0.0
 UP BND put(40.12) 1.0
 LO BND put(40.13) 0.0
 UP BND put(40.13) 1.0
 LO BND put(40.14) 0.0
 UP BND put(40.14) 1.0
 LO BND put(40.15) 0.0
 UP BND put(40.15) 1.0
 LO BND put(40.16) 0.0
 UP BND put(40.16) 1.0
 LO BND put(40.17) 0.0
 UP BND put(40.17) 1.0
 LO BND put(40.18) 0.0
 UP BND put(40.18) 1.0
 LO BND put(40.19) 0.0
 UP BND put(40.19) 1.0
 LO BND put(40.20) 0.0
 UP BND put(40.20) 1.0
 LO BND put(40.21) 0.0
 UP BND put(40.21) 1.0
 LO BND put(40.22) 0.0
 UP BND put(40.22) 1.0
 LO BND put(40.23) 0.0
 UP BND put(40.23) 1.0
 LO BND put(41.0) 0.0
 UP BND put(41.0) 1.0
 LO BND put(41.1) 0.0
 UP BND put(41.1) 1.0
 LO BND put(41.2) 0.0
 UP BND put(41.2) 1.0
 LO BND put(41.3) 0.0
 UP BND put(41.3) 1.0
 LO BND put(41.4) 0.0
 UP BND put(41.4) 1.0
 LO BND put(41.5) 0.0
 UP BND put(41.5) 1.0
 LO BND put(41.6) 0.0
 UP BND put(41.6) 1.0
 LO BND put(41.7) 0.0
 UP BND put(41.7) 1.0
 LO BND put(41.8) 0.0
 UP BND put(41.8) 1.0
 LO BND put(41.9) 0.0
 UP BND put(41.9) 1.0
 LO BND put(41.10) 0.0
 UP BND put(41.10) 1.0
 LO BND put(41.11) 0.0
 UP BND put(41.11) 1.0
 LO BND put(41.12) 0.0
 UP BND put(41.12) 1.0
 LO BND put(41.13) 0.0
 UP BND put(41.13) 1.0
 LO BND put(41.14) 0.0
 UP BND put(41.14) 1.0
 LO BND put(41.15) 0.0
 UP BND put(41.15) 1.0
 LO BND put(41.16) 0.0
 UP BND put(41.16) 1.0
 LO BND put(41.17) 0.0
 UP BND put(41.17) 1.0
 LO BND put(41.18) 0.0
 UP BND put(41.18) 1.0
 LO BND put(41.19) 0.0
 UP BND put(41.19) 1.0
 LO BND put(41.20) 0.0
 UP BND put(41.20) 1.0
 LO BND put(41.21) 0.0
 UP BND put(41.21) 1.0
 LO BND put(41.22) 0.0
 UP BND put(41.22) 1.0
 LO BND put(41.23) 0.0
 UP BND put(41.23) 1.0
 LO BND put(42.0) 0.0
 UP BND put(42.0) 1.0
 LO BND put(42.1) 0.0
 UP BND put(42.1) 1.0
 LO BND put(42.2) 0.0
 UP BND put(42.2) 1.0
 LO BND put(42.3) 0.0
 UP BND put(42.3) 1.0
 LO BND put(42.4) 0.0
 UP BND put(42.4) 1.0
 LO BND put(42.5) 0.0
 UP BND put(42.5) 1.0
 LO BND put(42.6) 0.0
 UP BND put(42.6) 1.0
 LO BND put(42.7) 0.0
 UP BND put(42.7) 1.0
 LO BND put(42.8) 0.0
 UP BND put(42.8) 1.0
 LO BND put(42.9) 0.0
 UP BND put(42.9) 1.0
 LO BND put(42.10) 0.0
 UP BND put(42.10) 1.0
 LO BND put(42.11) 0.0
 UP BND put(42.11) 1.0
 LO BND put(42.12) 0.0
 UP BND put(42.12) 1.0
 LO BND put(42.13) 0.0
 UP BND put(42.13) 1.0
 LO BND put(42.14) 0.0
 UP BND put(42.14) 1.0
 LO BND put(42.15) 0.0
 UP BND put(42.15) 1.0
 LO BND put(42.16) 0.0
 UP BND put(42.16) 1.0
 LO BND put(42.17) 0.0
 UP BND put(42.17) 1.0
 LO BND put(42.18) 0.0
 UP BND put(42.18) 1.0
 LO BND put(42.19) 0.0
 UP BND put(42.19) 1.0
 LO BND put(42.20) 0.0
 UP BND put(42.20) 1.0
 LO BND put(42.21) 0.0
 UP BND put(42.21) 1.0
 LO BND put(42.22) 0.0
 UP BND put(42.22) 1.0
 LO BND put(42.23) 0.0
 UP BND put(42.23) 1.0
 LO BND put(43.0) 0.0
 UP BND put(43.0) 1.0
 LO BND put(43.1) 0.0
 UP BND put(43.1) 1.0
 LO BND put(43.2) 0.0
 UP BND put(43.2) 1.0
 LO BND put(43.3) 0.0
 UP BND put(43.3) 1.0
 LO BND put(43.4) 0.0
 UP BND put(43.4) 1.0
 LO BND put(43.5) 0.0
 UP BND put(43.5) 1.0
 LO BND put(43.6) 0.0
 UP BND put(43.6) 1.0
 LO BND put(43.7) 0.0
 UP BND put(43.7) 1.0
 LO BND put(43.8) 0.0
 UP BND put(43.8) 1.0
 LO BND put(43.9) 0.0
 UP BND put(43.9) 1.0
 LO BND put(43.10) 0.0
 UP BND put(43.10) 1.0
 LO BND put(43.11) 0.0
 UP BND put(43.11) 1.0
 LO BND put(43.12) 0.0
 UP BND put(43.12) 1.0
 LO BND put(43.13) 0.0
 UP BND put(43.13) 1.0
 LO BND put(43.14) 0.0
 UP BND put(43.14) 1.0
 LO BND put(43.15) 0.0
 UP BND put(43.15) 1.0
 LO BND put(43.16) 0.0
 UP BND put(43.16) 1.0
 LO BND put(43.17) 0.0
 UP BND put(43.17) 1.0
 LO BND put(43.18) 0.0
 UP BND put(43.18) 1.0
 LO BND put(43.19) 0.0
 UP BND put(43.19) 1.0
 LO BND put(43.20) 0.0
 UP BND put(43.20) 1.0
 LO BND put(43.21) 0.0
 UP BND put(43.21) 1.0
 LO BND put(43.22) 0.0
 UP BND put(43.22) 1.0
 LO BND put(43.23) 0.0
 UP BND put(43.23) 1.0
 LO BND put(44.0) 0.0
 UP BND put(44.0) 1.0
 LO BND put(44.1) 0.0
 UP BND put(44.1) 1.0
 LO BND put(44.2) 0.0
 UP BND put(44.2) 1.0
 LO BND put(44.3) 0.0
 UP BND put(44.3) 1.0
 LO BND put(44.4) 0.0
 UP BND put(44.4) 1.0
 LO BND put(44.5) 0.0
 UP BND put(44.5) 1.0
 LO BND put(44.6) 0.0
 UP BND put(44.6) 1.0
 LO BND put(44.7) 0.0
 UP BND put(44.7) 1.0
 LO BND put(44.8) 0.0
 UP BND put(44.8) 1.0
 LO BND put(44.9) 0.0
 UP BND put(44.9) 1.0
 LO BND put(44.10) 0.0
 UP BND put(44.10) 1.0
 LO BND put(44.11) 0.0
 UP BND put(44.11) 1.0
 LO BND put(44.12) 0.0
 UP BND put(44.12) 1.0
 LO BND put(44.13) 0.0
 UP BND put(44.13) 1.0
 LO BND put(44.14) 0.0
 UP BND put(44.14) 1.0
 LO BND put(44.15) 0.0
 UP BND put(44.15) 1.0
 LO BND put(44.16) 0.0
 UP BND put(44.16) 1.0
 LO BND put(44.17) 0.0
 UP BND put(44.17) 1.0
 LO BND put(44.18) 0.0
 UP BND put(44.18) 1.0
 LO BND put(44.19) 0.0
 UP BND put(44.19) 1.0
 LO BND put(44.20) 0.0
 UP BND put(44.20) 1.0
 LO BND put(44.21) 0.0
 UP BND put(44.21) 1.0
 LO BND put(44.22) 0.0
 UP BND put(44.22) 1.0
 LO BND put(44.23) 0.0
 UP BND put(44.23) 1.0
 LO BND put(45.0) 0.0
 UP BND put(45.0) 1.0
 LO BND put(45.1) 0.0
 UP BND put(45.1) 1.0
 LO BND put(45.2) 0.0
 UP BND put(45.2) 1.0
 LO BND put(45.3) 0.0
 UP BND put(45.3) 1.0
 LO BND put(45.4) 0.0
 UP BND put(45.4) 1.0
 LO BND put(45.5) 0.0
 UP BND put(45.5) 1.0
 LO BND put(45.6) 0.0
 UP BND put(45.6) 1.0
 LO BND put(45.7) 0.0
 UP BND put(45.7) 1.0
 LO BND put(45.8) 0.0
 UP BND put(45.8) 1.0
 LO BND put(45.9) 0.0
 UP BND put(45.9) 1.0
 LO BND put(45.10) 0.0
 UP BND put(45.10) 1.0
 LO BND put(45.11) 0.0
 UP BND put(45.11) 1.0
 LO BND put(45.12) 0.0
 UP BND put(45.12) 1.0
 LO BND put(45.13) 0.0
 UP BND put(45.13) 1.0
 LO BND put(45.14) 0.0
 UP BND put(45.14) 1.0
 LO BND put(45.15) 0.0
 UP BND put(45.15) 1.0
 LO BND put(45.16) 0.0
 UP BND put(45.16) 1.0
 LO BND put(45.17) 0.0
 UP BND put(45.17) 1.0
 LO BND put(45.18) 0.0
 UP BND put(45.18) 1.0
 LO BND put(45.19) 0.0
 UP BND put(45.19) 1.0
 LO BND put(45.20) 0.0
 UP BND put(45.20) 1.0
 LO BND put(45.21) 0.0
 UP BND put(45.21) 1.0
 LO BND put(45.22) 0.0
 UP BND put(45.22) 1.0
 LO BND put(45.23) 0.0
 UP BND put(45.23) 1.0
 LO BND put(46.0) 0.0
 UP BND put(46.0) 1.0
 LO BND put(46.1) 0.0
 UP BND put(46.1) 1.0
 LO BND put(46.2) 0.0
 UP BND put(46.2) 1.0
 LO BND put(46.3) 0.0
 UP BND put(46.3) 1.0
 LO BND put(46.4) 0.0
 UP BND put(46.4) 1.0
 LO BND put(46.5) 0.0
 UP BND put(46.5) 1.0
 LO BND put(46.6) 0.0
 UP BND put(46.6) 1.0
 LO BND put(46.7) 0.0
 UP BND put(46.7) 1.0
 LO BND put(46.8) 0.0
 UP BND put(46.8) 1.0
 LO BND put(46.9) 0.0
 UP BND put(46.9) 1.0
 LO BND put(46.10) 0.0
 UP BND put(46.10) 1.0
 LO BND put(46.11) 0.0
 UP BND put(46.11) 1.0
 LO BND put(46.12) 0.0
 UP BND put(46.12) 1.0
 LO BND put(46.13) 0.0
 UP BND put(46.13) 1.0
 LO BND put(46.14) 0.0
 UP BND put(46.14) 1.0
 LO BND put(46.15) 0.0
 UP BND put(46.15) 1.0
 LO BND put(46.16) 0.0
 UP BND put(46.16) 1.0
 LO BND put(46.17) 0.0
 UP BND put(46.17) 1.0
 LO BND put(46.18) 0.0
 UP BND put(46.18) 1.0
 LO BND put(46.19) 0.0
 UP BND put(46.19) 1.0
 LO BND put(46.20) 0.0
 UP BND put(46.20) 1.0
 LO BND put(46.21) 0.0
 UP BND put(46.21) 1.0
 LO BND put(46.22) 0.0
 UP BND put(46.22) 1.0
 LO BND put(46.23) 0.0
 UP BND put(46.23) 1.0
 LO BND put(47.0) 0.0
 UP BND put(47.0) 1.0
 LO BND put(47.1) 0.0
 UP BND put(47.1) 1.0
 LO BND put(47.2) 0.0
 UP BND put(47.2) 1.0
 LO BND put(47.3) 0.0
 UP BND put(47.3) 1.0
 LO BND put(47.4) 0.0
 UP BND put(47.4) 1.0
 LO BND put(47.5) 0.0
 UP BND put(47.5) 1.0
 LO BND put(47.6) 0.0
 UP BND put(47.6) 1.0
 LO BND put(47.7) 0.0
 UP BND put(47.7) 1.0
 LO BND put(47.8) 0.0
 UP BND put(47.8) 1.0
 LO BND put(47.9) 0.0
 UP BND put(47.9) 1.0
 LO BND put(47.10) 0.0
 UP BND put(47.10) 1.0
 LO BND put(47.11) 0.0
 UP BND put(47.11) 1.0
 LO BND put(47.12) 0.0
 UP BND put(47.12) 1.0
 LO BND put(47.13) 0.0
 UP BND put(47.13) 1.0
 LO BND put(47.14) 0.0
 UP BND put(47.14) 1.0
 LO BND put(47.15) 0.0
 UP BND put(47.15) 1.0
 LO BND put(47.16) 0.0
 UP BND put(47.16) 1.0
 LO BND put(47.17) 0.0
 UP BND put(47.17) 1.0
 LO BND put(47.18) 0.0
 UP BND put(47.18) 1.0
 LO BND put(47.19) 0.0
 UP BND put(47.19) 1.0
 LO BND put(47.20) 0.0
 UP BND put(47.20) 1.0
 LO BND put(47.21) 0.0
 UP BND put(47.21) 1.0
 LO BND put(47.22) 0.0
 UP BND put(47.22) 1.0
 LO BND put(47.23) 0.0
 UP BND put(47.23) 1.0
 LO BND put(48.0) 0.0
 UP BND put(48.0) 1.0
 LO BND put(48.1) 0.0
 UP BND put(48.1) 1.0
 LO BND put(48.2) 0.0
 UP BND put(48.2) 1.0
 LO BND put(48.3) 0.0
 UP BND put(48.3) 1.0
 LO BND put(48.4) 0.0
 UP BND put(48.4) 1.0
 LO BND put(48.5) 0.0
 UP BND put(48.5) 1.0
 LO BND put(48.6) 0.0
 UP BND put(48.6) 1.0
 LO BND put(48.7) 0.0
 UP BND put(48.7) 1.0
 LO BND put(48.8) 0.0
 UP BND put(48.8) 1.0
 LO BND put(48.9) 0.0
 UP BND put(48.9) 1.0
 LO BND put(48.10) 0.0
 UP BND put(48.10) 1.0
 LO BND put(48.11) 0.0
 UP BND put(48.11) 1.0
 LO BND put(48.12) 0.0
 UP BND put(48.12) 1.0
 LO BND put(48.13) 0.0
 UP BND put(48.13) 1.0
 LO BND put(48.14) 0.0
 UP BND put(48.14) 1.0
 LO BND put(48.15) 0.0
 UP BND put(48.15) 1.0
 LO BND put(48.16) 0.0
 UP BND put(48.16) 1.0
 LO BND put(48.17) 0.0
 UP BND put(48.17) 1.0
 LO BND put(48.18) 0.0
 UP BND put(48.18) 1.0
 LO BND put(48.19) 0.0
 UP BND put(48.19) 1.0
 LO BND put(48.20) 0.0
 UP BND put(48.20) 1.0
 LO BND put(48.21) 0.0
 UP BND put(48.21) 1.0
 LO BND put(48.22) 0.0
 UP BND put(48.22) 1.0
 LO BND put(48.23) 0.0
 UP BND put(48.23) 1.0
 LO BND put(49.0) 0.0
 UP BND put(49.0) 1.0
 LO BND put(49.1) 0.0
 UP BND put(49.1) 1.0
 LO BND put(49.2) 0.0
 UP BND put(49.2) 1.0
 LO BND put(49.3) 0.0
 UP BND put(49.3) 1.0
 LO BND put(49.4) 0.0
 UP BND put(49.4) 1.0
 LO BND put(49.5) 0.0
 UP BND put(49.5) 1.0
 LO BND put(49.6) 0.0
 UP BND put(49.6) 1.0
 LO BND put(49.7) 0.0
 UP BND put(49.7) 1.0
 LO BND put(49.8) 0.0
 UP BND put(49.8) 1.0
 LO BND put(49.9) 0.0
 UP BND put(49.9) 1.0
 LO BND put(49.10) 0.0
 UP BND put(49.10) 1.0
 LO BND put(49.11) 0.0
 UP BND put(49.11) 1.0
 LO BND put(49.12) 0.0
 UP BND put(49.12) 1.0
 LO BND put(49.13) 0.0
 UP BND put(49.13) 1.0
 LO BND put(49.14) 0.0
 UP BND put(49.14) 1.0
 LO BND put(49.15) 0.0
 UP BND put(49.15) 1.0
 LO BND put(49.16) 0.0
 UP BND put(49.16) 1.0
 LO BND put(49.17) 0.0
 UP BND put(49.17) 1.0
 LO BND put(49.18) 0.0
 UP BND put(49.18) 1.0
 LO BND put(49.19) 0.0
 UP BND put(49.19) 1.0
 LO BND put(49.20) 0.0
 UP BND put(49.20) 1.0
 LO BND put(49.21) 0.0
 UP BND put(49.21) 1.0
 LO BND put(49.22) 0.0
 UP BND put(49.22) 1.0
 LO BND put(49.23) 0.0
 UP BND put(49.23) 1.0
 LO BND put(50.0) 0.0
 UP BND put(50.0) 1.0
 LO BND put(50.1) 0.0
 UP BND put(50.1) 1.0
 LO BND put(50.2) 0.0
 UP BND put(50.2) 1.0
 LO BND put(50.3) 0.0
 UP BND put(50.3) 1.0
 LO BND put(50.4) 0.0
 UP BND put(50.4) 1.0
 LO BND put(50.5) 0.0
 UP BND put(50.5) 1.0
 LO BND put(50.6) 0.0
 UP BND put(50.6) 1.0
 LO BND put(50.7) 0.0
 UP BND put(50.7) 1.0
 LO BND put(50.8) 0.0
 UP BND put(50.8) 1.0
 LO BND put(50.9) 0.0
 UP BND put(50.9) 1.0
 LO BND put(50.10) 0.0
 UP BND put(50.10) 1.0
 LO BND put(50.11) 0.0
 UP BND put(50.11) 1.0
 LO BND put(50.12) 0.0
 UP BND put(50.12) 1.0
 LO BND put(50.13) 0.0
 UP BND put(50.13) 1.0
 LO BND put(50.14) 0.0
 UP BND put(50.14) 1.0
 LO BND put(50.15) 0.0
 UP BND put(50.15) 1.0
 LO BND put(50.16) 0.0
 UP BND put(50.16) 1.0
 LO BND put(50.17) 0.0
 UP BND put(50.17) 1.0
 LO BND put(50.18) 0.0
 UP BND put(50.18) 1.0
 LO BND put(50.19) 0.0
 UP BND put(50.19) 1.0
 LO BND put(50.20) 0.0
 UP BND put(50.20) 1.0
 LO BND put(50.21) 0.0
 UP BND put(50.21) 1.0
 LO BND put(50.22) 0.0
 UP BND put(50.22) 1.0
 LO BND put(50.23) 0.0
 UP BND put(50.23) 1.0
 LO BND put(51.0) 0.0
 UP BND put(51.0) 1.0
 LO BND put(51.1) 0.0
 UP BND put(51.1) 1.0
 LO BND put(51.2) 0.0
 UP BND put(51.2) 1.0
 LO BND put(51.3) 0.0
 UP BND put(51.3) 1.0
 LO BND put(51.4) 0.0
 UP BND put(51.4) 1.0
 LO BND put(51.5) 0.0
 UP BND put(51.5) 1.0
 LO BND put(51.6) 0.0
 UP BND put(51.6) 1.0
 LO BND put(51.7) 0.0
 UP BND put(51.7) 1.0
 LO BND put(51.8) 0.0
 UP BND put(51.8) 1.0
 LO BND put(51.9) 0.0
 UP BND put(51.9) 1.0
 LO BND put(51.10) 0.0
 UP BND put(51.10) 1.0
 LO BND put(51.11) 0.0
 UP BND put(51.11) 1.0
 LO BND put(51.12) 0.0
 UP BND put(51.12) 1.0
 LO BND put(51.13) 0.0
 UP BND put(51.13) 1.0
 LO BND put(51.14) 0.0
 UP BND put(51.14) 1.0
 LO BND put(51.15) 0.0
 UP BND put(51.15) 1.0
 LO BND put(51.16) 0.0
 UP BND put(51.16) 1.0
 LO BND put(51.17) 0.0
 UP BND put(51.17) 1.0
 LO BND put(51.18) 0.0
 UP BND put(51.18) 1.0
 LO BND put(51.19) 0.0
 UP BND put(51.19) 1.0
 LO BND put(51.20) 0.0
 UP BND put(51.20) 1.0
 LO BND put(51.21) 0.0
 UP BND put(51.21) 1.0
 LO BND put(51.22) 0.0
 UP BND put(51.22) 1.0
 LO BND put(51.23) 0.0
 UP BND put(51.23) 1.0
 LO BND put(52.0) 0.0
 UP BND put(52.0) 1.0
 LO BND put(52.1) 0.0
 UP BND put(52.1) 1.0
 LO BND put(52.2) 0.0
 UP BND put(52.2) 1.0
 LO BND put(52.3) 0.0
 UP BND put(52.3) 1.0
 LO BND put(52.4) 0.0
 UP BND put(52.4) 1.0
 LO BND put(52.5) 0.0
 UP BND put(52.5) 1.0
 LO BND put(52.6) 0.0
 UP BND put(52.6) 1.0
 LO BND put(52.7) 0.0
 UP BND put(52.7) 1.0
 LO BND put(52.8) 0.0
 UP BND put(52.8) 1.0
 LO BND put(52.9) 0.0
 UP BND put(52.9) 1.0
 LO BND put(52.10) 0.0
 UP BND put(52.10) 1.0
 LO BND put(52.11) 0.0
 UP BND put(52.11) 1.0
 LO BND put(52.12) 0.0
 UP BND put(52.12) 1.0
 LO BND put(52.13) 0.0
 UP BND put(52.13) 1.0
 LO BND put(52.14) 0.0
 UP BND put(52.14) 1.0
 LO BND put(52.15) 0.0
 UP BND put(52.15) 1.0
 LO BND put(52.16) 0.0
 UP BND put(52.16) 1.0
 LO BND put(52.17) 0.0
 UP BND put(52.17) 1.0
 LO BND put(52.18) 0.0
 UP BND put(52.18) 1.0
 LO BND put(52.19) 0.0
 UP BND put(52.19) 1.0
 LO BND put(52.20) 0.0
 UP BND put(52.20) 1.0
 LO BND put(52.21) 0.0
 UP BND put(52.21) 1.0
 LO BND put(52.22) 0.0
 UP BND put(52.22) 1.0
 LO BND put(52.23) 0.0
 UP BND put(52.23) 1.0
 LO BND put(53.0) 0.0
 UP BND put(53.0) 1.0
 LO BND put(53.1) 0.0
 UP BND put(53.1) 1.0
 LO BND put(53.2) 0.0
 UP BND put(53.2) 1.0
 LO BND put(53.3) 0.0
 UP BND put(53.3) 1.0
 LO BND put(53.4) 0.0
 UP BND put(53.4) 1.0
 LO BND put(53.5) 0.0
 UP BND put(53.5) 1.0
 LO BND put(53.6) 0.0
 UP BND put(53.6) 1.0
 LO BND put(53.7) 0.0
 UP BND put(53.7) 1.0
 LO BND put(53.8) 0.0
 UP BND put(53.8) 1.0
 LO BND put(53.9) 0.0
 UP BND put(53.9) 1.0
 LO BND put(53.10) 0.0
 UP BND put(53.10) 1.0
 LO BND put(53.11) 0.0
 UP BND put(53.11) 1.0
 LO BND put(53.12) 0.0
 UP BND put(53.12) 1.0
 LO BND put(53.13) 0.0
 UP BND put(53.13) 1.0
 LO BND put(53.14) 0.0
 UP BND put(53.14) 1.0
 LO BND put(53.15) 0.0
 UP BND put(53.15) 1.0
 LO BND put(53.16) 0.0
 UP BND put(53.16) 1.0
 LO BND put(53.17) 0.0
 UP BND put(53.17) 1.0
 LO BND put(53.18) 0.0
 UP BND put(53.18) 1.0
 LO BND put(53.19) 0.0
 UP BND put(53.19) 1.0
 LO BND put(53.20) 0.0
 UP BND put(53.20) 1.0
 LO BND put(53.21) 0.0
 UP BND put(53.21) 1.0
 LO BND put(53.22) 0.0
 UP BND put(53.22) 1.0
 LO BND put(53.23) 0.0
 UP BND put(53.23) 1.0
 LO BND put(54.0) 0.0
 UP BND put(54.0) 1.0
 LO BND put(54.1) 0.0
 UP BND put(54.1) 1.0
 LO BND put(54.2) 0.0
 UP BND put(54.2) 1.0
 LO BND put(54.3) 0.0
 UP BND put(54.3) 1.0
 LO BND put(54.4) 0.0
 UP BND put(54.4) 1.0
 LO BND put(54.5) 0.0
 UP BND put(54.5) 1.0
 LO BND put(54.6) 0.0
 UP BND put(54.6) 1.0
 LO BND put(54.7) 0.0
 UP BND put(54.7) 1.0
 LO BND put(54.8) 0.0
 UP BND put(54.8) 1.0
 LO BND put(54.9) 0.0
 UP BND put(54.9) 1.0
 LO BND put(54.10) 0.0
 UP BND put(54.10) 1.0
 LO BND put(54.11) 0.0
 UP BND put(54.11) 1.0
 LO BND put(54.12) 0.0
 UP BND put(54.12) 1.0
 LO BND put(54.13) 0.0
 UP BND put(54.13) 1.0
 LO BND put(54.14) 0.0
 UP BND put(54.14) 1.0
 LO BND put(54.15) 0.0
 UP BND put(54.15) 1.0
 LO BND put(54.16) 0.0
 UP BND put(54.16) 1.0
 LO BND put(54.17) 0.0
 UP BND put(54.17) 1.0
 LO BND put(54.18) 0.0
 UP BND put(54.18) 1.0
 LO BND put(54.19) 0.0
 UP BND put(54.19) 1.0
 LO BND put(54.20) 0.0
 UP BND put(54.20) 1.0
 LO BND put(54.21) 0.0
 UP BND put(54.21) 1.0
 LO BND put(54.22) 0.0
 UP BND put(54.22) 1.0
 LO BND put(54.23) 0.0
 UP BND put(54.23) 1.0
 LO BND put(55.0) 0.0
 UP BND put(55.0) 1.0
 LO BND put(55.1) 0.0
 UP BND put(55.1) 1.0
 LO BND put(55.2) 0.0
 UP BND put(55.2) 1.0
 LO BND put(55.3) 0.0
 UP BND put(55.3) 1.0
 LO BND put(55.4) 0.0
 UP BND put(55.4) 1.0
 LO BND put(55.5) 0.0
 UP BND put(55.5) 1.0
 LO BND put(55.6) 0.0
 UP BND put(55.6) 1.0
 LO BND put(55.7) 0.0
 UP BND put(55.7) 1.0
 LO BND put(55.8) 0.0
 UP BND put(55.8) 1.0
 LO BND put(55.9) 0.0
 UP BND put(55.9) 1.0
 LO BND put(55.10) 0.0
 UP BND put(55.10) 1.0
 LO BND put(55.11) 0.0
 UP BND put(55.11) 1.0
 LO BND put(55.12) 0.0
 UP BND put(55.12) 1.0
 LO BND put(55.13) 0.0
 UP BND put(55.13) 1.0
 LO BND put(55.14) 0.0
 UP BND put(55.14) 1.0
 LO BND put(55.15) 0.0
 UP BND put(55.15) 1.0
 LO BND put(55.16) 0.0
 UP BND put(55.16) 1.0
 LO BND put(55.17) 0.0
 UP BND put(55.17) 1.0
 LO BND put(55.18) 0.0
 UP BND put(55.18) 1.0
 LO BND put(55.19) 0.0
 UP BND put(55.19) 1.0
 LO BND put(55.20) 0.0
 UP BND put(55.20) 1.0
 LO BND put(55.21) 0.0
 UP BND put(55.21) 1.0
 LO BND put(55.22) 0.0
 UP BND put(55.22) 1.0
 LO BND put(55.23) 0.0
 UP BND put(55.23) 1.0
 LO BND put(56.0) 0.0
 UP BND put(56.0) 1.0
 LO BND put(56.1) 0.0
 UP BND put(56.1) 1.0
 LO BND put(56.2) 0.0
 UP BND put(56.2) 1.0
 LO BND put(56.3) 0.0
 UP BND put(56.3) 1.0
 LO BND put(56.4) 0.0
 UP BND put(56.4) 1.0
 LO BND put(56.5) 0.0
 UP BND put(56.5) 1.0
 LO BND put(56.6) 0.0
 UP BND put(56.6) 1.0
 LO BND put(56.7) 0.0
 UP BND put(56.7) 1.0
 LO BND put(56.8) 0.0
 UP BND put(56.8) 1.0
 LO BND put(56.9) 0.0
 UP BND put(56.9) 1.0
 LO BND put(56.10) 0.0
 UP BND put(56.10) 1.0
 LO BND put(56.11) 0.0
 UP BND put(56.11) 1.0
 LO BND put(56.12) 0.0
 UP BND put(56.12) 1.0
 LO BND put(56.13) 0.0
 UP BND put(56.13) 1.0
 LO BND put(56.14) 0.0
 UP BND put(56.14) 1.0
 LO BND put(56.15) 0.0
 UP BND put(56.15) 1.0
 LO BND put(56.16) 0.0
 UP BND put(56.16) 1.0
 LO BND put(56.17) 0.0
 UP BND put(56.17) 1.0
 LO BND put(56.18) 0.0
 UP BND put(56.18) 1.0
 LO BND put(56.19) 0.0
 UP BND put(56.19) 1.0
 LO BND put(56.20) 0.0
 UP BND put(56.20) 1.0
 LO BND put(56.21) 0.0
 UP BND put(56.21) 1.0
 LO BND put(56.22) 0.0
 UP BND put(56.22) 1.0
 LO BND put(56.23) 0.0
 UP BND put(56.23) 1.0
 LO BND put(57.0) 0.0
 UP BND put(57.0) 1.0
 LO BND put(57.1) 0.0
 UP BND put(57.1) 1.0
 LO BND put(57.2) 0.0
 UP BND put(57.2) 1.0
 LO BND put(57.3) 0.0
 UP BND put(57.3) 1.0
 LO BND put(57.4) 0.0
 UP BND put(57.4) 1.0
 LO BND put(57.5) 0.0
 UP BND put(57.5) 1.0
 LO BND put(57.6) 0.0
 UP BND put(57.6) 1.0
 LO BND put(57.7) 0.0
 UP BND put(57.7) 1.0
 LO BND put(57.8) 0.0
 UP BND put(57.8) 1.0
 LO BND put(57.9) 0.0
 UP BND put(57.9) 1.0
 LO BND put(57.10) 0.0
 UP BND put(57.10) 1.0
 LO BND put(57.11) 0.0
 UP BND put(57.11) 1.0
 LO BND put(57.12) 0.0
 UP BND put(57.12) 1.0
 LO BND put(57.13) 0.0
 UP BND put(57.13) 1.0
 LO BND put(57.14) 0.0
 UP BND put(57.14) 1.0
 LO BND put(57.15) 0.0
 UP BND put(57.15) 1.0
 LO BND put(57.16) 0.0
 UP BND put(57.16) 1.0
 LO BND put(57.17) 0.0
 UP BND put(57.17) 1.0
 LO BND put(57.18) 0.0
 UP BND put(57.18) 1.0
 LO BND put(57.19) 0.0
 UP BND put(57.19) 1.0
 LO BND put(57.20) 0.0
 UP BND put(57.20) 1.0
 LO BND put(57.21) 0.0
 UP BND put(57.21) 1.0
 LO BND put(57.22) 0.0
 UP BND put(57.22) 1.0
 LO BND put(57.23) 0.0
 UP BND put(57.23) 1.0
 LO BND put(58.0) 0.0
 UP BND put(58.0) 1.0
 LO BND put(58.1) 0.0
 UP BND put(58.1) 1.0
 LO BND put(58.2) 0.0
 UP BND put(58.2) 1.0
 LO BND put(58.3) 0.0
 UP BND put(58.3) 1.0
 LO BND put(58.4) 0.0
 UP BND put(58.4) 1.0
 LO BND put(58.5) 0.0
 UP BND put(58.5) 1.0
 LO BND put(58.6) 0.0
 UP BND put(58.6) 1.0
 LO BND put(58.7) 0.0
 UP BND put(58.7) 1.0
 LO BND put(58.8) 0.0
 UP BND put(58.8) 1.0
 LO BND put(58.9) 0.0
 UP BND put(58.9) 1.0
 LO BND put(58.10) 0.0
 UP BND put(58.10) 1.0
 LO BND put(58.11) 0.0
 UP BND put(58.11) 1.0
 LO BND put(58.12) 0.0
 UP BND put(58.12) 1.0
 LO BND put(58.13) 0.0
 UP BND put(58.13) 1.0
 LO BND put(58.14) 0.0
 UP BND put(58.14) 1.0
 LO BND put(58.15) 0.0
 UP BND put(58.15) 1.0
 LO BND put(58.16) 0.0
 UP BND put(58.16) 1.0
 LO BND put(58.17) 0.0
 UP BND put(58.17) 1.0
 LO BND put(58.18) 0.0
 UP BND put(58.18) 1.0
 LO BND put(58.19) 0.0
 UP BND put(58.19) 1.0
 LO BND put(58.20) 0.0
 UP BND put(58.20) 1.0
 LO BND put(58.21) 0.0
 UP BND put(58.21) 1.0
 LO BND put(58.22) 0.0
 UP BND put(58.22) 1.0
 LO BND put(58.23) 0.0
 UP BND put(58.23) 1.0
 LO BND put(59.0) 0.0
 UP BND put(59.0) 1.0
 LO BND put(59.1) 0.0
 UP BND put(59.1) 1.0
 LO BND put(59.2) 0.0
 UP BND put(59.2) 1.0
 LO BND put(59.3) 0.0
 UP BND put(59.3) 1.0
 LO BND put(59.4) 0.0
 UP BND put(59.4) 1.0
 LO BND put(59.5) 0.0
 UP BND put(59.5) 1.0
 LO BND put(59.6) 0.0
 UP BND put(59.6) 1.0
 LO BND put(59.7) 0.0
 UP BND put(59.7) 1.0
 LO BND put(59.8) 0.0
 UP BND put(59.8) 1.0
 LO BND put(59.9) 0.0
 UP BND put(59.9) 1.0
 LO BND put(59.10) 0.0
 UP BND put(59.10) 1.0
 LO BND put(59.11) 0.0
 UP BND put(59.11) 1.0
 LO BND put(59.12) 0.0
 UP BND put(59.12) 1.0
 LO BND put(59.13) 0.0
 UP BND put(59.13) 1.0
 LO BND put(59.14) 0.0
 UP BND put(59.14) 1.0
 LO BND put(59.15) 0.0
 UP BND put(59.15) 1.0
 LO BND put(59.16) 0.0
 UP BND put(59.16) 1.0
 LO BND put(59.17) 0.0
 UP BND put(59.17) 1.0
 LO BND put(59.18) 0.0
 UP BND put(59.18) 1.0
 LO BND put(59.19) 0.0
 UP BND put(59.19) 1.0
 LO BND put(59.20) 0.0
 UP BND put(59.20) 1.0
 LO BND put(59.21) 0.0
 UP BND put(59.21) 1.0
 LO BND put(59.22) 0.0
 UP BND put(59.22) 1.0
 LO BND put(59.23) 0.0
 UP BND put(59.23) 1.0
 LO BND van(0) 0.0
 UP BND van(0) 1.0
 LO BND van(1) 0.0
 UP BND van(1) 1.0
 LO BND van(2) 0.0
 UP BND van(2) 1.0
 LO BND van(3) 0.0
 UP BND van(3) 1.0
 LO BND van(4) 0.0
 UP BND van(4) 1.0
 LO BND van(5) 0.0
 UP BND van(5) 1.0
 LO BND van(6) 0.0
 UP BND van(6) 1.0
 LO BND van(7) 0.0
 UP BND van(7) 1.0
 LO BND van(8) 0.0
 UP BND van(8) 1.0
 LO BND van(9) 0.0
 UP BND van(9) 1.0
 LO BND van(10) 0.0
 UP BND van(10) 1.0
 LO BND van(11) 0.0
 UP BND van(11) 1.0
 LO BND van(12) 0.0
 UP BND van(12) 1.0
 LO BND van(13) 0.0
 UP BND van(13) 1.0
 LO BND van(14) 0.0
 UP BND van(14) 1.0
 LO BND van(15) 0.0
 UP BND van(15) 1.0
 LO BND van(16) 0.0
 UP BND van(16) 1.0
 LO BND van(17) 0.0
 UP BND van(17) 1.0
 LO BND van(18) 0.0
 UP BND van(18) 1.0
 LO BND van(19) 0.0
 UP BND van(19) 1.0
 LO BND van(20) 0.0
 UP BND van(20) 1.0
 LO BND van(21) 0.0
 UP BND van(21) 1.0
 LO BND van(22) 0.0
 UP BND van(22) 1.0
 LO BND van(23) 0.0
 UP BND van(23) 1.0
ENDATA
